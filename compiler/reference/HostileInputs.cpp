// See HostileInputs.h.
#include "compiler/reference/HostileInputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace heddle {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

uint64_t hashOf(uint64_t x) { // the finaliser of splitmix64
  x += 0x9E3779B97F4A7C15;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

/// In [-2, 2), the same in every run.
double numberOf(uint64_t seed, int64_t index) {
  return static_cast<double>(static_cast<int64_t>(hashOf(seed << 40 ^ static_cast<uint64_t>(index)))) * 0x1p-62;
}

/// Multiplied with another tensor, perhaps through views: scales, queries, keys, values. Products of infinities depend on their order, and a fusion
/// may change it.
bool isFactor(Value value) {
  auto isNumber = [](Value v) {
    auto broadcast = v.getDefiningOp<BroadcastOp>();
    return broadcast && matchPattern(broadcast.getSource(), m_Constant());
  };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<arith::MulFOp, arith::DivFOp>(user))
      return llvm::none_of(user->getOperands(), isNumber) || isFactor(user->getResult(0));
    return isa<MatmulOp, LinearOp>(user) || (isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(user) && isFactor(user->getResult(0)));
  });
}

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }
} // namespace

std::string HostileInput::sizes() const {
  std::vector<std::string> parts;
  for (const auto &[name, size] : environment.sizes)
    parts.push_back(fmt::format("{} = {}", name, size));
  for (const auto &[name, rows] : environment.ragged)
    parts.push_back(fmt::format("lengths of {}: {}", name, fmt::join(rows.lengths, ", ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

HostileInputs::HostileInputs(func::FuncOp formula, func::FuncOp replacement) : formula(formula), ints{0, 1, 2, 3} {
  look(formula);
  look(replacement);
  auto dimensions = formula->getAttrOfType<ArrayAttr>(dimensionsAttr);
  for (Attribute attribute : dimensions ? dimensions.getValue() : ArrayRef<Attribute>())
    if (auto dimension = cast<DimensionAttr>(attribute); dimension.isRagged()) {
      raggedDimensions.push_back(dimension);
      names.push_back(dimension.getBatch().str());
    }
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  plan();
}

/// What decides which inputs are worth a run.
void HostileInputs::look(func::FuncOp function) {
  auto note = [&](Type type) {
    if (DimsAttr dims = dimsOf(type))
      for (StringAttr name : dims.getNames())
        names.push_back(name.str());
  };
  llvm::for_each(function.getArgumentTypes(), note);
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), note);
    hasSoftmax |= isa<SoftmaxOp, AttentionOp, MaxOp, MaskScoresOp>(op);
    hasProduct |= isa<MatmulOp, LinearOp, AttentionOp>(op);
    IntegerAttr number;
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && matchPattern(constant.getResult(), m_Constant(&number)))
      if (int64_t value = number.getValue().getSExtValue(); std::abs(value) < (1 << 20))
        ints.insert(ints.end(), {value - 1, value, value + 1});
  });
}

void HostileInputs::plan() {
  plans = {{"ordinary values", Fill::ordinary, Sizes::distinct, -1}, {"large values", Fill::large, Sizes::distinct, -1},
           {"equal rows", Fill::equalRows, Sizes::distinct, -1},     {"rows with a large mean", Fill::largeMean, Sizes::distinct, -1},
           {"hidden rows", Fill::hiddenRows, Sizes::distinct, -1},   {"length 1", Fill::ordinary, Sizes::ones, -1}};
  if (!raggedDimensions.empty()) {
    plans.push_back({"ragged lengths", Fill::ordinary, Sizes::ragged, -1});
    plans.push_back({"ragged lengths and hidden rows", Fill::hiddenRows, Sizes::ragged, -1});
  }
  for (BlockArgument argument : formula.getArguments()) {
    int number = static_cast<int>(argument.getArgNumber());
    if (!isFloat(argument.getType()) || formula.getArgAttr(argument.getArgNumber(), recipeAttr))
      continue;
    plans.push_back({fmt::format("NaN at the start of argument {}", number), Fill::firstNan, Sizes::distinct, number});
    plans.push_back({fmt::format("NaN at the end of argument {}", number), Fill::lastNan, Sizes::distinct, number});
    if (hasSoftmax && !isFactor(argument))
      plans.push_back({fmt::format("rows of -infinity in argument {}", number), Fill::minusInfinity, Sizes::distinct, number});
  }
}

Environment HostileInputs::environmentOf(Sizes sizes) const {
  Environment environment;
  environment.roundsTables = false;
  int64_t next = 2; // batches come first
  auto isBatch = [&](const std::string &name) { return llvm::any_of(raggedDimensions, [&](DimensionAttr d) { return d.getBatch() == name; }); };
  for (const std::string &name : names)
    environment.sizes[name] = sizes == Sizes::ones ? 1 : isBatch(name) ? (sizes == Sizes::ragged ? 4 : 2) : ++next;
  for (DimensionAttr dimension : raggedDimensions) {
    std::string name = dimension.getName().str(), batch = dimension.getBatch().str();
    int64_t bound = dimension.getBound() ? dimension.getBound() : 1 << 20;
    int64_t &width = environment.sizes[name] = std::min(environment.sizes[name], bound);
    Rows rows{batch, {}, {}};
    rows.lengths.assign(static_cast<size_t>(environment.sizes[batch]), width);
    rows.starts.assign(rows.lengths.size(), 0);
    if (sizes == Sizes::ragged) {
      rows.lengths = {width - 1, 0, 1, width};
      rows.starts = {0, 0, std::min<int64_t>(1, bound - 1), std::min<int64_t>(2, bound - width)};
    }
    environment.ragged[name] = rows;
  }
  return environment;
}

Tensor HostileInputs::argument(unsigned number, const Plan &plan, ArrayRef<int64_t> shape) {
  Tensor result(shape);
  Type type = getElementTypeOrSelf(formula.getArgument(number).getType());
  int64_t width = std::max<int64_t>(shape.empty() ? 1 : shape.back(), 1);
  double factor = hasProduct ? 30 : 1e4; // logits of about 1e4 either way
  for (int64_t i = 0; i < result.count(); ++i) {
    int64_t row = i / width;
    double value = numberOf(number, i);
    // Every third row is hidden whole, every third is seen whole.
    bool seen = row % 3 == 2 || (row % 3 == 1 && value > 0);
    bool isMine = static_cast<int>(number) == plan.argument;
    if (type.isInteger(1)) {
      value = plan.fill == Fill::hiddenRows || plan.fill == Fill::minusInfinity ? seen : value > -1;
    } else if (!isa<FloatType>(type)) {
      value = static_cast<double>(ints[hashOf(static_cast<uint64_t>(i)) % ints.size()]);
    } else if (plan.fill == Fill::large) {
      value *= factor;
    } else if (plan.fill == Fill::equalRows) {
      value = numberOf(number, row / 2);
    } else if (plan.fill == Fill::largeMean) {
      value = 1e4 * (1 + numberOf(number, row) / 8) + 1e-2 * value;
    } else if (plan.fill == Fill::minusInfinity && isMine && !seen) {
      value = -infinity;
    } else if (isMine && ((plan.fill == Fill::firstNan && i == 0) || (plan.fill == Fill::lastNan && i == result.count() - 1))) {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    result.data[static_cast<size_t>(i)] = value;
  }
  return result;
}

HostileInput HostileInputs::make(size_t number, ArrayRef<Tensor> recipes) {
  const Plan &plan = plans[number];
  HostileInput input{plan.name, environmentOf(plan.sizes), {}};
  for (BlockArgument argument : formula.getArguments()) {
    unsigned at = argument.getArgNumber();
    auto shape = input.environment.shape(dimsOf(argument));
    bool made = static_cast<bool>(formula.getArgAttr(at, recipeAttr));
    input.arguments.push_back(made ? recipes[at] : this->argument(at, plan, shape ? *shape : SmallVector<int64_t>()));
  }
  return input;
}

} // namespace heddle
