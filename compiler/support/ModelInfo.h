// What is left of a model beside its code: entries, weights, kernels, tasks. The linalg stage writes it into one module attribute of builtin
// attributes
// (`heddle.model`), because later stages know no heddle op; the memory stage adds arenas; compiler/native makes the executable's table of it.
// This is the attribute's one reader and writer. The structs mirror runtime/heddle_model.h.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// coefficient * product of the entry's dimensions with these indices.
struct FormTerm {
  int64_t coefficient = 0;
  std::vector<int64_t> dimensions; // at most 4
};
/// A sum of terms.
using Form = std::vector<FormTerm>;

enum class Element : int64_t { F32 = 0, I32 = 1, Bool = 2 };
enum class DimensionKind : int64_t { Plain = 0, Ragged = 1, Tokens = 2 };

struct DimensionInfo {
  std::string name;
  DimensionKind kind = DimensionKind::Plain;
  int64_t of = -1;   // Ragged: its batch dimension; Tokens: its ragged dimension
  int64_t bound = 0; // Ragged; 0: none
};

struct ValueInfo {
  std::string name;
  Element element = Element::F32;
  std::vector<Form> extents;
  int64_t ragged = -1;
  int64_t idBound = 0;
  std::optional<double> defaultValue;
};

/// What a call of a kernel cannot do without (heddle_work).
struct WorkInfo {
  Form flops, bytes;
  int64_t pairFlops = 0, queries = -1, keys = -1;
  int64_t left = std::numeric_limits<int64_t>::max(), right = std::numeric_limits<int64_t>::max();
};

struct CallInfo {
  std::string kernel, place; // place: file:line:column of this call
  WorkInfo work;
};

/// Of an entry that calls one kernel, for the self-test; in the list they come after the entries of the text.
inline constexpr llvm::StringLiteral checkPrefix = "check.";
/// On a module: its kernels get such entries (OutlineChecks).
inline constexpr llvm::StringLiteral checksAttr = "heddle.checks";

struct EntryInfo {
  std::string name, documentation;
  std::vector<DimensionInfo> dimensions;
  std::vector<ValueInfo> arguments, results;
  Form arena; // bytes; empty until the memory stage
  Form bytes; // of arguments, results and weights
  std::vector<CallInfo> calls;
  bool isCheck() const { return llvm::StringRef(name).starts_with(checkPrefix); }
};

struct KernelInfo {
  std::string name, place; // place: file:line:column
};

struct WeightInfo {
  std::string name, recipe; // recipe: the text of the attribute
  Element element = Element::F32;
  int64_t storage = 0, cpuClass = 0;
  int64_t offset = 0, bytes = 0; // in the section
};

struct TokenizerInfo {
  std::string side, kind, path; // as the frontend's attribute has them
  std::optional<int64_t> unknown;
  int64_t offset = 0, bytes = 0; // filled when packed
};

struct TaskInfo {
  std::string kind;
  std::vector<std::string> entries;
  std::vector<std::pair<std::string, int64_t>> settings; // a name as often as it has values
  std::vector<std::pair<std::string, std::vector<double>>> numbers = {};
  std::vector<std::string> labels = {};
};

/// A call with known results (heddle_check).
struct CheckInfo {
  std::string entry, unchecked = {};
  std::vector<int64_t> dimensions = {};
  int64_t seeds = 0;
  int64_t offset = 0, bytes = 0; // in the section; nothing where it is unchecked
};

struct ModelInfo {
  std::string name, documentation;
  int64_t sectionBytes = 0;
  std::vector<EntryInfo> entries;
  std::vector<KernelInfo> kernels;
  std::vector<WeightInfo> weights;
  std::vector<TokenizerInfo> tokenizers;
  std::vector<TaskInfo> tasks;
  // Known when the executable is written; no stage carries them.
  std::vector<CheckInfo> checks = {};
  std::string built = {};
  int64_t parameters = 0;
};

/// The name of the module attribute.
inline constexpr llvm::StringLiteral modelInfoAttr = "heddle.model";

void writeModelInfo(mlir::ModuleOp module, const ModelInfo &info);
/// Emits an error on the module and returns nothing where the attribute is missing or broken (input of heddle-opt may be anything).
std::optional<ModelInfo> readModelInfo(mlir::ModuleOp module);

} // namespace heddle
