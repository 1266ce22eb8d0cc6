// Dispatch over ops and the walk over an entry. See Interpreter.h.
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Operations.h"
#include "compiler/reference/Weights.h"
#include "compiler/support/Shape.h"
#include "llvm/ADT/TypeSwitch.h"
#include <fmt/format.h>
#include <memory>

using namespace mlir;

namespace heddle {

SmallVector<int64_t> Site::shape(Type type) const {
  DimsAttr dims = dimsOf(type);
  if (dims)
    return *environment.shape(dims);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? SmallVector<int64_t>(tensor.getShape()) : SmallVector<int64_t>();
}

namespace {
constexpr int64_t mostElements = int64_t(1) << 28; // 2 GiB of doubles: the interpreter is for small inputs

using Shared = std::shared_ptr<const Datum>;

class Interpreter {
public:
  Interpreter(Environment environment, const Checkpoint *checkpoint, Diagnostics &diagnostics, const Observer &observer = {},
              EvaluatedWeights *weights = nullptr)
      : environment(std::move(environment)), checkpoint(checkpoint), diagnostics(diagnostics), observer(observer),
        weights(weights ? *weights : ownWeights) {}

  Shared run(Operation *op, ArrayRef<const Datum *> operands) {
    if (op->getNumResults() != 1)
      return fail(op, "has no single result");
    if (!checkEnvironment(op) || !checkOperands(op, operands) || !checkResult(op))
      return nullptr;
    if (auto use = dyn_cast<UseOp>(op))
      return weight(use);
    Site site{environment, {}};
    std::optional<Datum> result = dispatch(op, operands, site);
    if (!result)
      return fail(op, "cannot be interpreted");
    if (!site.refusal.empty())
      return fail(op, site.refusal);
    RaggedAxes ragged = site.ragged(op->getResult(0));
    if (auto *tensor = std::get_if<Tensor>(&*result); tensor && ragged.count() == 1)
      ragged.clearPadding(*tensor); // padding of tokens never holds anything that could spread
    return std::make_shared<const Datum>(std::move(*result));
  }

  std::optional<std::vector<Tensor>> run(func::FuncOp entry, ArrayRef<Tensor> arguments) {
    llvm::DenseMap<Value, Shared> values;
    if (!bindArguments(entry, arguments, values))
      return std::nullopt;
    func::ReturnOp end = run(entry.getBody().front(), values);
    return end ? std::optional(results(end, values)) : std::nullopt;
  }

  /// The op that ends the block, whose operands are then in `values`; null after a message.
  func::ReturnOp run(Block &block, llvm::DenseMap<Value, Shared> &values) {
    llvm::DenseMap<Value, int64_t> usesLeft;
    for (Operation &op : block) {
      if (auto end = dyn_cast<func::ReturnOp>(op))
        return end;
      SmallVector<Shared> operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return values.at(operand); });
      SmallVector<const Datum *> pointers = llvm::map_to_vector(operands, [](const Shared &datum) { return datum.get(); });
      auto inner = dyn_cast<func::CallOp>(op);
      Shared result = inner ? call(inner, operands) : run(&op, pointers);
      if (!result)
        return {};
      if (observer) {
        auto seen = std::make_shared<Datum>(*result);
        observer(&op, pointers, *seen);
        result = seen;
      }
      values[op.getResult(0)] = result;
      usesLeft[op.getResult(0)] = std::distance(op.getResult(0).use_begin(), op.getResult(0).use_end());
      for (Value operand : op.getOperands())
        if (auto left = usesLeft.find(operand); left != usesLeft.end() && --left->second == 0)
          values.erase(operand);
    }
    diagnostics.error(placeOf(block.getParentOp()->getLoc()), "a function without return");
    return {};
  }

private:
  Shared fail(Operation *op, std::string_view message) {
    diagnostics.error(placeOf(op->getLoc()), fmt::format("'{}' {}", op->getName().getStringRef().str(), message));
    return nullptr;
  }

  /// A kernel that the linalg stage has outlined and not yet lowered: the same dimensions, one result.
  Shared call(func::CallOp op, ArrayRef<Shared> operands) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock() || callee.getNumArguments() != operands.size() || op.getNumResults() != 1)
      return fail(op, "calls what cannot be interpreted");
    llvm::DenseMap<Value, Shared> values;
    for (auto [argument, operand] : llvm::zip_equal(callee.getArguments(), operands))
      values[argument] = operand;
    func::ReturnOp end = run(callee.getBody().front(), values);
    return end ? values.at(end.getOperand(0)) : nullptr;
  }

  bool checkEnvironment(Operation *op) {
    for (const auto &[name, rows] : environment.ragged) {
      auto width = environment.sizes.find(name);
      bool fine = rows.lengths.size() == rows.starts.size();
      for (size_t b = 0; fine && b < rows.lengths.size(); ++b)
        fine = rows.lengths[b] >= 0 && rows.starts[b] >= 0 && (width == environment.sizes.end() || rows.lengths[b] <= width->second);
      if (auto batch = environment.sizes.find(rows.batch); fine && batch != environment.sizes.end())
        fine = static_cast<int64_t>(rows.lengths.size()) == batch->second;
      if (!fine)
        return fail(op, fmt::format("the rows of '{}' do not agree with its sizes", name)), false;
    }
    return true;
  }

  bool checkOperands(Operation *op, ArrayRef<const Datum *> operands) {
    if (operands.size() != op->getNumOperands())
      return fail(op, fmt::format("expected {} operands, got {}", op->getNumOperands(), operands.size())), false;
    for (auto [value, datum] : llvm::zip(op->getOperands(), operands))
      if (const auto *tensor = std::get_if<Tensor>(datum); tensor && dimsOf(value))
        environment.bind(dimsOf(value), tensor->shape);
    for (auto [i, value] : llvm::enumerate(op->getOperands())) {
      const auto *tensor = std::get_if<Tensor>(operands[i]);
      if (static_cast<bool>(tensor) == isa<MaskType>(value.getType()))
        return fail(op, fmt::format("operand {}: expected a {}", i, tensor ? "mask" : "tensor")), false;
      if (!tensor)
        continue;
      if (DimsAttr dims = dimsOf(value)) {
        if (std::string clash = environment.compare(dims, tensor->shape); !clash.empty())
          return fail(op, fmt::format("operand {}: {}", i, clash)), false;
      } else if (auto shaped = dyn_cast<RankedTensorType>(value.getType());
                 failed(verifyCompatibleShape(shaped ? shaped.getShape() : ArrayRef<int64_t>(), tensor->shape))) {
        return fail(op, fmt::format("operand {}: unexpected shape {}", i, shapeText(tensor->shape))), false;
      }
    }
    return true;
  }

  bool checkResult(Operation *op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return true;
    DimsAttr dims = dimsOf(type);
    if (!dims)
      return type.hasStaticShape() || (fail(op, "a result without named extents"), false);
    auto shape = environment.shape(dims);
    if (!shape)
      return fail(op, "the size of a dimension of the result is not known"), false;
    auto count = elementCount(*shape);
    if (!count || *count > mostElements)
      return fail(op, fmt::format("a result of shape {} is too large for the interpreter", shapeText(*shape))), false;
    return true;
  }

  Shared weight(UseOp use) {
    auto symbol = SymbolTable::lookupNearestSymbolFrom<WeightOp>(use, use.getWeightAttr());
    if (!symbol)
      return fail(use, "names no weight");
    Shared &known = weights[symbol.getRecipe()];
    if (known)
      return known;
    std::string why;
    auto made = recipeType(symbol.getRecipe(), &why);
    if (!made)
      return fail(use, fmt::format("the recipe is inconsistent: {}", why));
    auto tensor = evaluateRecipe(symbol.getRecipe(), checkpoint, diagnostics, /*exact=*/!environment.roundsTables);
    if (!tensor)
      return nullptr;
    if (ArrayRef<int64_t>(tensor->shape) != symbol.getTensorType().getShape())
      return fail(use, "a packed weight is not interpreted");
    return known = std::make_shared<const Datum>(std::move(*tensor));
  }

  /// Operands by the argument they stand for, null for absent ones.
  template <class OpTy> static SmallVector<const Datum *> slots(OpTy op, ArrayRef<const Datum *> operands, unsigned count) {
    SmallVector<const Datum *> slots;
    for (unsigned i = 0; i < count; ++i) {
      auto [first, length] = op.getODSOperandIndexAndLength(i);
      slots.push_back(length ? operands[first] : nullptr);
    }
    return slots;
  }
  static SmallVector<const Tensor *> tensors(ArrayRef<const Datum *> data) {
    return llvm::map_to_vector(data, [](const Datum *datum) { return datum ? std::get_if<Tensor>(datum) : nullptr; });
  }

  template <class OpTy> static Datum onTensors(OpTy op, ArrayRef<const Datum *> operands, unsigned count, Site &site) {
    return evaluate(op, tensors(slots(op, operands, count)), site);
  }
  /// For ops whose argument `mask` is a mask.
  template <class OpTy> static Datum withMask(OpTy op, ArrayRef<const Datum *> operands, unsigned count, unsigned mask, Site &site) {
    auto all = slots(op, operands, count);
    return evaluate(op, all[mask] ? std::get_if<MaskFunction>(all[mask]) : nullptr, tensors(all), site);
  }

  static std::optional<Datum> dispatch(Operation *op, ArrayRef<const Datum *> operands, Site &site) {
    return llvm::TypeSwitch<Operation *, std::optional<Datum>>(op)
        .Case<BroadcastOp, ReshapeOp, TransposeOp, SliceOp, WindowsOp, SinusoidalPositionsOp>(
            [&](auto typed) { return onTensors(typed, operands, 1, site); })
        .Case<GatherOp, PickOp, SpreadOp, FlattenOp, UnflattenOp, PositionsOp, RmsNormOp, RotaryEmbeddingOp, SumOp, MaxOp, MinOp, MeanOp, VarOp,
              SoftmaxOp>([&](auto typed) { return onTensors(typed, operands, 2, site); })
        .Case<MatmulOp, LinearOp, LayerNormOp>([&](auto typed) { return onTensors(typed, operands, 3, site); })
        .Case([&](ConcatOp typed) -> Datum { return evaluate(typed, tensors(operands), site); })
        .Case([&](MaskCausalOp) -> Datum { return evaluateMaskCausal(); })
        .Case([&](MaskWindowOp typed) -> Datum { return evaluateMaskWindow(typed); })
        .Case([&](MaskPrefixOp) -> Datum { return evaluateMaskPrefix(std::get<Tensor>(*operands[0])); })
        .Case([&](MaskSegmentsOp) -> Datum { return evaluateMaskSegments(std::get<Tensor>(*operands[0]), std::get<Tensor>(*operands[1])); })
        .Case([&](MaskTokensOp typed) -> Datum {
          auto sides = tensors(slots(typed, operands, 2));
          return evaluateMaskTokens(sides[0], sides[1]);
        })
        .Case([&](BiasAlibiOp) -> Datum { return evaluateBiasAlibi(std::get<Tensor>(*operands[0])); })
        .Case([&](SoftcapOp typed) -> Datum { return evaluateSoftcap(typed); })
        .Case([&](BiasTensorOp) -> Datum { return evaluateBiasTensor(std::get<Tensor>(*operands[0])); })
        .Case([&](BiasTokensOp) -> Datum { return evaluateBiasTokens(std::get<Tensor>(*operands[0])); })
        .Case([&](BiasRelativeOp) -> Datum { return evaluateBiasRelative(std::get<Tensor>(*operands[0])); })
        .Case([&](MaskTensorOp) -> Datum { return evaluateMaskTensor(std::get<Tensor>(*operands[0])); })
        .Case([&](MaskAndOp) -> Datum { return evaluateMaskAnd(std::get<MaskFunction>(*operands[0]), std::get<MaskFunction>(*operands[1])); })
        .Case([&](MaskValuesOp typed) { return withMask(typed, operands, 5, 0, site); })
        .Case([&](MaskScoresOp typed) { return withMask(typed, operands, 6, 1, site); })
        .Case([&](AttentionOp typed) { return withMask(typed, operands, 8, 3, site); })
        .Default([&](Operation *other) -> std::optional<Datum> {
          auto result = evaluateElementwise(other, tensors(operands), site);
          return result ? std::optional<Datum>(std::move(*result)) : std::nullopt;
        });
  }

  bool bindArguments(func::FuncOp entry, ArrayRef<Tensor> arguments, llvm::DenseMap<Value, Shared> &values) {
    SmallVector<SmallVector<int64_t>> shapes;
    for (const Tensor &tensor : arguments)
      shapes.push_back(tensor.shape);
    if (!bindDimensions(entry, shapes, environment, diagnostics))
      return false;
    size_t next = 0;
    for (BlockArgument argument : entry.getArguments()) {
      auto offsets = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), offsetsAttr);
      auto starts = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), startsAttr);
      if (!offsets && !starts) {
        Tensor tensor = arguments[next++];
        RaggedAxes(dimsOf(argument), environment).clearPadding(tensor); // what lies beyond a row's length is nobody's business
        values[argument] = std::make_shared<const Datum>(std::move(tensor));
        continue;
      }
      auto rows = environment.ragged.find((offsets ? offsets : starts).str());
      if (rows == environment.ragged.end()) {
        diagnostics.error(placeOf(entry.getLoc()), "offsets or starts of a dimension that is not ragged");
        return false;
      }
      std::vector<int64_t> numbers = offsets ? rows->second.offsets() : rows->second.starts;
      values[argument] =
          std::make_shared<const Datum>(Tensor({static_cast<int64_t>(numbers.size())}, std::vector<double>(numbers.begin(), numbers.end())));
    }
    return true;
  }

  std::vector<Tensor> results(func::ReturnOp end, const llvm::DenseMap<Value, Shared> &values) {
    std::vector<Tensor> results;
    for (Value value : end.getOperands()) {
      results.push_back(std::get<Tensor>(*values.at(value)));
      RaggedAxes(dimsOf(value), environment).clearPadding(results.back());
    }
    return results;
  }

  Environment environment;
  const Checkpoint *checkpoint;
  Diagnostics &diagnostics;
  Observer observer;
  EvaluatedWeights ownWeights, &weights;
};
} // namespace

bool bindDimensions(func::FuncOp entry, ArrayRef<SmallVector<int64_t>> shapes, Environment &environment, Diagnostics &diagnostics) {
  auto fail = [&](std::string message) {
    diagnostics.error(placeOf(entry.getLoc()), fmt::format("entry '{}': {}", entry.getName().str(), message));
    return false;
  };
  size_t next = 0;
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (entry.getArgAttr(number, offsetsAttr) || entry.getArgAttr(number, startsAttr))
      continue;
    if (next == shapes.size())
      return fail(fmt::format("expected more than {} arguments", shapes.size()));
    auto name = entry.getArgAttrOfType<StringAttr>(number, nameAttr);
    std::string called = name ? fmt::format("'{}'", name.str()) : fmt::format("{}", number);
    DimsAttr dims = dimsOf(argument);
    if (!dims)
      return fail(fmt::format("argument {} has no named extents", called));
    environment.bind(dims, shapes[next]);
    if (std::string clash = environment.compare(dims, shapes[next++]); !clash.empty())
      return fail(fmt::format("argument {}: {}", called, clash));
  }
  if (next != shapes.size())
    return fail(fmt::format("expected {} arguments, got {}", next, shapes.size()));
  auto dimensions = entry->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>()) {
    auto dimension = dyn_cast<DimensionAttr>(attribute);
    if (!dimension || !dimension.isRagged())
      continue;
    auto width = environment.size(dimension.getName().getValue()), batch = environment.size(dimension.getBatch().getValue());
    if (!width || !batch)
      return fail(fmt::format("the size of '{}' is not known", dimension.getName().str()));
    Rows &rows = environment.ragged[dimension.getName().str()];
    rows.batch = dimension.getBatch().str();
    if (rows.lengths.empty())
      rows.lengths.assign(static_cast<size_t>(*batch), *width);
    if (rows.starts.empty())
      rows.starts.assign(static_cast<size_t>(*batch), 0);
    bool fine = static_cast<int64_t>(rows.lengths.size()) == *batch && static_cast<int64_t>(rows.starts.size()) == *batch;
    for (size_t b = 0; fine && b < rows.lengths.size(); ++b)
      fine = rows.lengths[b] >= 0 && rows.lengths[b] <= *width && rows.starts[b] >= 0;
    if (!fine)
      return fail(fmt::format("the lengths and starts of '{}' do not agree with its {} rows of width {}", dimension.getName().str(), *batch, *width));
  }
  return true;
}

std::optional<Datum> evaluate(Operation *op, ArrayRef<Datum> operands, const Environment &environment, const Checkpoint *checkpoint,
                              Diagnostics &diagnostics) {
  SmallVector<const Datum *> pointers;
  for (const Datum &datum : operands)
    pointers.push_back(&datum);
  Shared result = Interpreter(environment, checkpoint, diagnostics).run(op, pointers);
  return result ? std::optional<Datum>(*result) : std::nullopt;
}

std::optional<std::vector<Tensor>> evaluateEntry(func::FuncOp entry, ArrayRef<Tensor> arguments, Environment environment,
                                                 const Checkpoint *checkpoint, Diagnostics &diagnostics, const Observer &observer,
                                                 EvaluatedWeights *weights) {
  if (entry.isExternal() || !entry.getBody().hasOneBlock()) {
    diagnostics.error(placeOf(entry.getLoc()), fmt::format("'{}' has no single block to interpret", entry.getName().str()));
    return std::nullopt;
  }
  return Interpreter(std::move(environment), checkpoint, diagnostics, observer, weights).run(entry, arguments);
}

} // namespace heddle
