#include "compiler/pipeline/SelfTest.h"
#include "compiler/reference/Interpreter.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace heddle;

namespace {

constexpr int64_t mostBatch = 2, mostLength = 5, mostBytes = 4 << 20;

/// Sizes of the dimensions of an entry, and rows of ragged ones (heddle_check).
Environment environmentOf(const EntryInfo &entry, std::vector<int64_t> &values) {
  Environment environment;
  for (const DimensionInfo &dimension : entry.dimensions) {
    bool isRagged = dimension.kind == DimensionKind::Ragged;
    int64_t size = isRagged ? dimension.bound > 0 ? std::min(dimension.bound, mostLength) : mostLength : mostBatch;
    values.push_back(size);
    if (dimension.kind != DimensionKind::Tokens)
      environment.sizes[dimension.name] = size;
  }
  for (const DimensionInfo &dimension : entry.dimensions) {
    if (dimension.kind != DimensionKind::Ragged)
      continue;
    int64_t width = environment.sizes[dimension.name], batch = dimension.of < 0 ? 1 : values[dimension.of];
    Rows rows{dimension.of < 0 ? "" : entry.dimensions[dimension.of].name, {}, {}};
    for (int64_t row = 0; row < batch; ++row) {
      rows.lengths.push_back(std::max<int64_t>(width - 2 * row, 1));
      rows.starts.push_back(0);
    }
    environment.ragged[dimension.name] = rows;
  }
  return environment;
}

/// A value of each element that the entry takes: ids below their bound, numbers of about 1, both truth values.
Tensor argumentOf(const ValueInfo &value, ArrayRef<int64_t> shape) {
  SeededTensor seeded(1, value.name, std::vector<int64_t>{1, 1});
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.count(); ++i) {
    double number = static_cast<double>(seeded.element(i));
    double bound = value.idBound > 0 ? static_cast<double>(value.idBound) : 2;
    double unit = std::min(std::abs(number) / 3.47, 0.999999); // a seeded number is at most 3.46 from 0
    tensor.data[i] = value.defaultValue ? *value.defaultValue : value.element == Element::F32 ? number : std::floor(unit * bound);
    if (value.element == Element::Bool && !value.defaultValue)
      tensor.data[i] = number > 0;
  }
  return tensor;
}

void append(std::string &bytes, const Tensor &tensor, Element element) {
  bytes.resize(llvm::alignTo(bytes.size(), 64));
  for (double number : tensor.data) {
    char raw[4];
    size_t size = element == Element::Bool ? 1 : 4;
    float real = static_cast<float>(number);
    int32_t whole = element == Element::I32 ? static_cast<int32_t>(number) : 0;
    bool truth = number != 0;
    std::memcpy(raw, element == Element::F32 ? static_cast<void *>(&real) : element == Element::I32 ? static_cast<void *>(&whole) : &truth, size);
    bytes.append(raw, size);
  }
}

} // namespace

bool heddle::makeChecks(ModuleOp module, const Checkpoint *checkpoint, ModelInfo &info, std::vector<std::string> &bytes, Diagnostics &diagnostics) {
  for (const EntryInfo &entry : info.entries) {
    auto function = module.lookupSymbol<func::FuncOp>(entry.name);
    CheckInfo check{entry.name, {}};
    Environment environment = environmentOf(entry, check.dimensions);
    std::vector<Tensor> arguments;
    std::string made;
    for (auto [i, value] : llvm::enumerate(entry.arguments)) {
      DimsAttr dims = dimsOf(function.getArgumentTypes()[i]);
      std::optional<SmallVector<int64_t>> shape = dims ? environment.shape(dims) : SmallVector<int64_t>();
      if (!shape)
        return diagnostics.error({}, "internal error: the self-test does not know the size of argument '" + value.name + "'"), false;
      arguments.push_back(argumentOf(value, *shape));
      append(made, arguments.back(), value.element);
    }
    if (made.size() > mostBytes)
      continue;
    std::optional<std::vector<Tensor>> results = evaluateEntry(function, arguments, environment, checkpoint, diagnostics);
    if (!results)
      return false;
    for (auto [value, result] : llvm::zip_equal(entry.results, *results))
      append(made, result, value.element);
    if (made.size() > mostBytes)
      continue;
    check.offset = llvm::alignTo(info.sectionBytes, 64);
    check.bytes = made.size();
    info.sectionBytes = check.offset + check.bytes;
    info.checks.push_back(std::move(check));
    bytes.push_back(std::move(made));
  }
  return true;
}
