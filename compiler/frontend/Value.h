// What an expression of the language stands for while a text is expanded: things known when compiling, and tensors that exist when running.
#pragma once
#include "compiler/frontend/Extent.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <variant>

namespace heddle::frontend {

enum class Element { F32, I32, Bool };
std::string_view nameOf(Element element);

/// One axis of a tensor. A unit axis (`1` written, or left by a reduction) widens in elementwise mathematics; the IR value does not have it.
struct Axis {
  Extent extent;
  bool unit = false;
  static Axis makeUnit() { return {Extent(1), true}; }
};
using Axes = std::vector<Axis>;

/// A run-time tensor. A weight that was not read yet has a symbol instead of a value, so that a `let` can hold it.
struct Tensor {
  Element element = Element::F32;
  Axes axes;
  mlir::Value value;
  std::string weight;
};

/// A tensor known when compiling, in double until it meets a run-time value.
struct ConstantTensor {
  Element element = Element::F32;
  Axes axes; // all static
  std::shared_ptr<const std::vector<double>> data;
  int64_t size() const { return static_cast<int64_t>(data->size()); }
};

/// What a query may see. No IR until an attention asks for it.
struct Mask {
  enum class Kind { Causal, Window, Prefix, Segments, Tensor, And };
  Kind kind = Kind::Causal;
  std::shared_ptr<const Mask> left, right; // of And
  Tensor tensor;                           // of Tensor; of Prefix: the lengths; of Segments: those of the queries
  std::optional<int64_t> before, behind;   // of Window: the limits that there are
  Tensor keys = {};                        // of Segments
};

/// What is added to scores. No IR until an attention asks for it.
struct Bias {
  enum class Kind { Alibi, Relative, Tensor, Sum };
  Kind kind = Kind::Relative;
  std::shared_ptr<const Bias> left, right; // of Sum
  Tensor tensor;                           // of Tensor; of Relative: the weight [buckets, heads]; of Alibi: the slopes
  std::vector<int64_t> buckets;            // of Relative: for the distances -reach .. reach
  ConstantTensor constant = {};            // of Alibi: slopes that are known when compiling
};

struct Value;
struct None {};
/// Stands for a value that could not be computed; whoever meets it stays silent, for the error has been reported.
struct Failed {};
/// A place in config.json that keys point into; not a value to compute with.
struct Object {};
/// A function's name, as a task setting.
struct FunctionName {
  std::string name;
};
using List = std::shared_ptr<const std::vector<Value>>;

struct Value {
  std::variant<Failed, None, bool, Extent, double, std::string, List, std::shared_ptr<const Mask>, std::shared_ptr<const Bias>, ConstantTensor,
               Tensor, Object, FunctionName>
      is;

  Value() = default;
  template <typename T> Value(T value) : is(std::move(value)) {}

  template <typename T> const T *as() const { return std::get_if<T>(&is); }
  bool failed() const { return as<Failed>(); }
  bool isNone() const { return as<None>(); }
  /// An int, known when compiling.
  const Extent *integer() const { return as<Extent>(); }
  bool isNumber() const { return as<Extent>() || as<double>(); }
  /// An int or float as a double.
  std::optional<double> number() const;
  bool isTensor() const { return as<Tensor>() || as<ConstantTensor>(); }
  /// The axes of a tensor or constant tensor, or null.
  const Axes *axes() const;

  /// For messages: a tensor's type, a number, a string in quotes, `a list`.
  std::string describe() const;
  /// What kind of thing it is: `int`, `float`, `string`, a tensor's type.
  std::string kind() const;
};

/// `f32[batch, sequence..., n_embd 64]`
std::string printType(Element element, const Axes &axes);
std::string printAxes(const Axes &axes);
/// A double as the language would write it: 0.1, 1e-05, 2.0.
std::string printNumber(double number);

} // namespace heddle::frontend
