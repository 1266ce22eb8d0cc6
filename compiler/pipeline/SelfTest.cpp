#include "compiler/pipeline/SelfTest.h"
#include "compiler/reference/Interpreter.h"
#include "runtime/seeded.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace heddle;

/// The dimensions of one call, by index and by name, and the rows of ragged ones (heddle_check).
struct heddle::CallShape {
  std::vector<int64_t> values;
  Environment environment;
};

namespace {

/// Sizes of the dimensions that no argument bounds: rows of a batch, elements of a row.
struct CallSize {
  int64_t batch, width;
};
/// From two tiles of rows of a product, with a rest, to the least.
constexpr CallSize kernelSizes[] = {{2, 17}, {2, 5}, {1, 4}, {1, 1}};
constexpr CallSize entrySize{2, 5};

/// Operations and bytes that the interpreter goes through in a tenth of a second, about; and in three seconds, which is more than a check is worth.
constexpr double usualCost = 1 << 28, mostCost = 1ll << 32;
constexpr int64_t mostElements = 1 << 26; // of arguments, and of weights: it holds them as doubles, 512 MiB

/// A model of more parameters is interpreted too slowly as a whole; its kernels are not.
constexpr int64_t mostParameters = 20'000'000;

/// A check allows an error of 1e-10 (squared differences over squares). Arguments that are a bit off, and f32 for what lies between, must not come
/// near that: sums over thousands have a hundred times the error of one rounding.
constexpr double mostSensitivity = 1e-12;

CallShape shapeOf(const EntryInfo &entry, CallSize size) {
  CallShape shape;
  for (const DimensionInfo &dimension : entry.dimensions) {
    bool isRagged = dimension.kind == DimensionKind::Ragged;
    int64_t value = isRagged ? dimension.bound > 0 ? std::min(dimension.bound, size.width) : size.width : size.batch;
    shape.values.push_back(value);
    if (dimension.kind != DimensionKind::Tokens)
      shape.environment.sizes[dimension.name] = value;
  }
  for (auto [i, dimension] : llvm::enumerate(entry.dimensions)) {
    if (dimension.kind != DimensionKind::Ragged)
      continue;
    int64_t width = shape.values[i], batch = dimension.of < 0 ? 1 : shape.values[dimension.of];
    Rows rows{dimension.of < 0 ? "" : entry.dimensions[dimension.of].name, {}, {}};
    for (int64_t row = 0; row < batch; ++row) {
      rows.lengths.push_back(std::max<int64_t>(width - 2 * row, 1));
      rows.starts.push_back(0);
    }
    shape.environment.ragged[dimension.name] = rows;
  }
  for (auto [i, dimension] : llvm::enumerate(entry.dimensions))
    if (dimension.kind == DimensionKind::Tokens)
      shape.values[i] = shape.environment.ragged[entry.dimensions[dimension.of].name].offsets().back();
  return shape;
}

double valueOf(const Form &form, ArrayRef<int64_t> dimensions) {
  double sum = 0;
  for (const FormTerm &term : form) {
    double product = static_cast<double>(term.coefficient);
    for (int64_t dimension : term.dimensions)
      product *= static_cast<double>(dimensions[dimension]);
    sum += product;
  }
  return sum;
}

double costOf(const EntryInfo &entry, ArrayRef<int64_t> dimensions) {
  double cost = 0;
  for (const CallInfo &call : entry.calls) {
    const WorkInfo &work = call.work;
    cost += valueOf(work.flops, dimensions) + valueOf(work.bytes, dimensions);
    if (work.pairFlops)
      cost += static_cast<double>(work.pairFlops) * dimensions[work.queries] * dimensions[work.keys] * entrySize.batch;
  }
  return cost;
}

int64_t weightElements(func::FuncOp function) {
  int64_t count = 0;
  for (auto use : function.getOps<UseOp>())
    count += cast<RankedTensorType>(use.getType()).getNumElements();
  return count;
}

Tensor argumentOf(int64_t seeds, int64_t index, const ValueInfo &value, ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.data[i] = value.defaultValue               ? *value.defaultValue
                     : value.element == Element::F32  ? heddle_seeded_number(seeds, index, i)
                     : value.element == Element::Bool ? heddle_seeded_flag(index, i)
                                                      : heddle_seeded_id(index, i, value.idBound);
  return tensor;
}

/// The arguments with their numbers a bit off, up or down.
std::vector<Tensor> nudged(std::vector<Tensor> arguments, const EntryInfo &entry) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    for (int64_t k = 0; entry.arguments[i].element == Element::F32 && k < argument.count(); ++k)
      argument.data[k] *= 1 + (heddle_seeded_flag(static_cast<int64_t>(i) + 1000, k) ? 0x1p-23 : -0x1p-23);
  return arguments;
}

/// What lies between is f32, as in an executable.
void roundToFloat(Operation *op, ArrayRef<const Datum *>, Datum &result) {
  if (auto *tensor = std::get_if<Tensor>(&result); tensor && getElementTypeOrSelf(op->getResult(0).getType()).isF32() && !isa<UseOp>(op))
    for (double &number : tensor->data)
      number = static_cast<double>(static_cast<float>(number));
}

/// Whether another computation of the same can only give the same: as far as numbers are numbers, whole ones are equal, and the rest differs little.
/// Results that are mostly no numbers say nothing.
bool agree(const Tensor &exact, const Tensor &rough, Element element) {
  if (element != Element::F32)
    return exact.data == rough.data;
  double differences = 0, squares = 0;
  int64_t none = 0;
  for (auto [a, b] : llvm::zip_equal(exact.data, rough.data)) {
    none += std::isnan(a);
    if (std::isfinite(a) ? !std::isfinite(b) : std::isnan(a) ? !std::isnan(b) : a != b)
      return false;
    if (!std::isfinite(a))
      continue;
    differences += (a - b) * (a - b);
    squares += a * a;
  }
  return differences <= mostSensitivity * squares && 2 * none <= exact.count();
}

/// The elements that are kept, as an executable holds them.
void append(std::string &bytes, const Tensor &tensor, Element element) {
  bytes.resize(llvm::alignTo(bytes.size(), 64));
  for (int64_t i = 0; i < heddle_kept_count(tensor.count()); ++i) {
    char raw[4];
    size_t size = element == Element::Bool ? 1 : 4;
    double number = tensor.data[heddle_kept_element(i, tensor.count())];
    float real = static_cast<float>(number);
    int32_t whole = element == Element::I32 ? static_cast<int32_t>(number) : 0;
    bool truth = number != 0;
    std::memcpy(raw, element == Element::F32 ? static_cast<void *>(&real) : element == Element::I32 ? static_cast<void *>(&whole) : &truth, size);
    bytes.append(raw, size);
  }
}

constexpr const char *tooLarge = "it is too large to be interpreted when it is built";

} // namespace

void CheckMaker::skip(const EntryInfo &entry, const char *why) {
  info.checks.push_back({entry.name, why});
  bytes.emplace_back();
}

void CheckMaker::add(func::FuncOp function, const EntryInfo &entry, const CallShape &call) {
  SmallVector<SmallVector<int64_t>> shapes;
  double elements = 0;
  for (Type type : ArrayRef<Type>(function.getArgumentTypes()).take_front(entry.arguments.size())) {
    DimsAttr dims = dimsOf(type);
    std::optional<SmallVector<int64_t>> shape = dims ? call.environment.shape(dims) : std::nullopt;
    if (!shape)
      return skip(entry, "the sizes of its arguments are not known");
    shapes.push_back(*shape);
    elements += std::accumulate(shape->begin(), shape->end(), 1.0, std::multiplies<double>());
  }
  if (elements > mostElements)
    return skip(entry, tooLarge);
  EvaluatedWeights weights;
  for (int64_t seeds : {HEDDLE_AROUND_ZERO, HEDDLE_POSITIVE}) {
    std::vector<Tensor> arguments;
    for (auto [i, value] : llvm::enumerate(entry.arguments)) {
      arguments.push_back(argumentOf(seeds, static_cast<int64_t>(i), value, shapes[i]));
      if (!value.defaultValue) // kernels may count on padding that holds nothing
        RaggedAxes(dimsOf(function.getArgumentTypes()[i]), call.environment).clearAllPadding(arguments.back());
    }
    Diagnostics problems;
    auto exact = evaluateEntry(function, arguments, call.environment, checkpoint, problems, {}, &weights);
    auto rough = evaluateEntry(function, nudged(arguments, entry), call.environment, checkpoint, problems, roundToFloat, &weights);
    if (!exact || !rough)
      return skip(entry, "the interpreter refuses it");
    std::string made;
    bool isSteady = true;
    for (auto [i, value] : llvm::enumerate(entry.results)) {
      if (entry.isCheck()) // between kernels anything may stand in padding
        for (Tensor *result : {&(*exact)[i], &(*rough)[i]})
          RaggedAxes(dimsOf(function.getResultTypes()[i]), call.environment).clearAllPadding(*result);
      isSteady &= agree((*exact)[i], (*rough)[i], value.element);
      append(made, (*exact)[i], value.element);
    }
    if (!isSteady)
      continue;
    CheckInfo check{
        entry.name, {}, call.values, seeds, static_cast<int64_t>(llvm::alignTo(info.sectionBytes, 64)), static_cast<int64_t>(made.size())};
    info.sectionBytes = check.offset + check.bytes;
    info.checks.push_back(std::move(check));
    bytes.push_back(std::move(made));
    return;
  }
  skip(entry, "its results hang on the last bits of numbers");
}

void CheckMaker::addEntries(ModuleOp module) {
  for (const EntryInfo &entry : info.entries)
    if (entry.isCheck())
      continue;
    else if (info.parameters > mostParameters)
      skip(entry, tooLarge);
    else
      add(module.lookupSymbol<func::FuncOp>(entry.name), entry, shapeOf(entry, entrySize));
}

void CheckMaker::addKernels(ModuleOp module) {
  for (const EntryInfo &entry : info.entries) {
    auto function = entry.isCheck() ? module.lookupSymbol<func::FuncOp>(entry.name) : func::FuncOp();
    if (!function)
      continue;
    CallShape call;
    double cost = 0;
    for (CallSize size : kernelSizes) {
      call = shapeOf(entry, size);
      cost = costOf(entry, call.values);
      if (cost <= usualCost)
        break;
    }
    if (cost > mostCost || weightElements(function) > mostElements)
      skip(entry, tooLarge);
    else
      add(function, entry, call);
  }
}
