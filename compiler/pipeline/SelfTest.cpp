#include "compiler/pipeline/SelfTest.h"
#include "compiler/reference/Interpreter.h"
#include "runtime/seeded.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

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
constexpr int64_t mostWeightElements = 1 << 26; // it holds them as doubles: 512 MiB

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

Tensor argumentOf(int64_t index, const ValueInfo &value, ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.data[i] = value.defaultValue               ? *value.defaultValue
                     : value.element == Element::F32  ? heddle_seeded_number(index, i)
                     : value.element == Element::Bool ? heddle_seeded_flag(index, i)
                                                      : heddle_seeded_id(index, i, value.idBound);
  return tensor;
}

/// The elements that are kept, as an executable holds them.
void append(std::string &bytes, const Tensor &tensor, Element element) {
  bytes.resize(llvm::alignTo(bytes.size(), 64));
  for (int64_t i = 0, stride = heddle_kept_stride(tensor.count()); i < tensor.count(); i += stride) {
    char raw[4];
    size_t size = element == Element::Bool ? 1 : 4;
    double number = tensor.data[i];
    float real = static_cast<float>(number);
    int32_t whole = element == Element::I32 ? static_cast<int32_t>(number) : 0;
    bool truth = number != 0;
    std::memcpy(raw, element == Element::F32 ? static_cast<void *>(&real) : element == Element::I32 ? static_cast<void *>(&whole) : &truth, size);
    bytes.append(raw, size);
  }
}

} // namespace

bool CheckMaker::add(func::FuncOp function, const EntryInfo &entry, const CallShape &call, Diagnostics &problems) {
  std::vector<Tensor> arguments;
  for (auto [i, value] : llvm::enumerate(entry.arguments)) {
    DimsAttr dims = dimsOf(function.getArgumentTypes()[i]);
    std::optional<SmallVector<int64_t>> shape = dims ? call.environment.shape(dims) : SmallVector<int64_t>();
    if (!shape)
      return problems.error({}, "internal error: the self-test does not know the size of argument '" + value.name + "'"), false;
    arguments.push_back(argumentOf(static_cast<int64_t>(i), value, *shape));
    if (dims && !value.defaultValue) // kernels may count on padding that holds nothing
      RaggedAxes(dims, call.environment).clearAllPadding(arguments.back());
  }
  std::optional<std::vector<Tensor>> results = evaluateEntry(function, arguments, call.environment, checkpoint, problems);
  if (!results)
    return false;
  std::string made;
  for (auto [value, result] : llvm::zip_equal(entry.results, *results))
    append(made, result, value.element);
  CheckInfo check{entry.name, call.values, static_cast<int64_t>(llvm::alignTo(info.sectionBytes, 64)), static_cast<int64_t>(made.size())};
  info.sectionBytes = check.offset + check.bytes;
  info.checks.push_back(std::move(check));
  bytes.push_back(std::move(made));
  return true;
}

bool CheckMaker::addEntries(ModuleOp module) {
  for (const EntryInfo &entry : info.entries)
    if (!entry.isCheck() && !add(module.lookupSymbol<func::FuncOp>(entry.name), entry, shapeOf(entry, entrySize), diagnostics))
      return false;
  return true;
}

void CheckMaker::addKernels(ModuleOp module) {
  for (const EntryInfo &entry : info.entries) {
    auto function = entry.isCheck() ? module.lookupSymbol<func::FuncOp>(entry.name) : func::FuncOp();
    if (!function || weightElements(function) > mostWeightElements)
      continue;
    CallShape call;
    double cost = 0;
    for (CallSize size : kernelSizes) {
      call = shapeOf(entry, size);
      cost = costOf(entry, call.values);
      if (cost <= usualCost)
        break;
    }
    Diagnostics problems; // what cannot be interpreted is not checked
    if (cost <= mostCost)
      add(function, entry, call, problems);
  }
}
