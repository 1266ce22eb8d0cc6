// See Disprove.h.
#include "compiler/reference/Disprove.h"
#include "compiler/reference/HostileInputs.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/reference/Weights.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Shape.h"
#include "dialect/View.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace heddle {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double change = 0x1p-40;  // of every intermediate result, relative
constexpr double mostUnits = 64;    // in the last place
constexpr double unit = 0x1p-52;    // of a float64, relative
constexpr double bound = 0x1p-10;   // a tolerance beyond this share of the values proves nothing
constexpr unsigned changedRuns = 3; // random changes may cancel in one

double asZero(double x) { return std::fabs(x) < std::numeric_limits<double>::min() ? 0 : x; }

std::string numberText(double x) { return std::isnan(x) ? "NaN" : fmt::format("{}", x); }

Value resultOf(func::FuncOp function) { return function.getBody().front().getTerminator()->getOperand(0); }

/// Changes elements by one part in 2^40, up or down.
void shake(Tensor &tensor, uint64_t seed) {
  for (double &value : tensor.data) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value *= seed >> 63 ? 1 + change : 1 - change;
  }
}

/// Values that a comparison or a conversion to ints reads, however far back: changed a little they would change a lot.
llvm::DenseSet<Value> decidingValues(func::FuncOp function) {
  SmallVector<Value> work;
  function.walk([&](Operation *op) {
    if (isa<arith::CmpFOp, arith::FPToSIOp>(op))
      work.append(op->operand_begin(), op->operand_end());
  });
  llvm::DenseSet<Value> all;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (all.insert(value).second && value.getDefiningOp())
      work.append(value.getDefiningOp()->operand_begin(), value.getDefiningOp()->operand_end());
  }
  return all;
}

/// weights @ values where a weight of exactly 0, of softmax or of a one-hot row, hides its value, whatever that is.
void skipHidden(MatmulOp op, ArrayRef<const Datum *> operands, Tensor &result) {
  View weights = viewAt(op.getLhs(), AffineMap::getMultiDimIdentityMap(cast<RankedTensorType>(op.getLhs().getType()).getRank(), op.getContext()),
                        cast<RankedTensorType>(op.getLhs().getType()).getShape());
  const Tensor &lhs = std::get<Tensor>(*operands[0]), &rhs = std::get<Tensor>(*operands[1]);
  if (!isa_and_nonnull<SoftmaxOp, arith::UIToFPOp, arith::SelectOp>(weights.base.getDefiningOp()) ||
      llvm::all_of(rhs.data, [](double x) { return std::isfinite(x); }))
    return;
  int64_t inner = lhs.shape.back(), columns = rhs.shape.back(), rows = lhs.shape[lhs.shape.size() - 2];
  for (int64_t i = 0; i < result.count(); ++i) {
    int64_t row = i / columns, matrix = rhs.rank() > 2 ? row / rows * inner * columns : 0;
    if (!std::isnan(result.data[i]))
      continue;
    result.data[i] = 0;
    for (int64_t k = 0; k < inner; ++k)
      if (double weight = lhs.data[row * inner + k]; weight != 0)
        result.data[i] += weight * rhs.data[matrix + k * columns + i % columns];
  }
}

/// Whether a value is -infinity by choice: where(seen, 0, -infinity), mask(scores, seen), and sums with it.
bool mayHide(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isView(op)) {
      value = op->getOperand(0);
      continue;
    }
    if (isa<MaskScoresOp>(op))
      return true;
    auto isLowest = [](Value branch) {
      FloatAttr number;
      while (branch.getDefiningOp() && isView(branch.getDefiningOp()))
        branch = branch.getDefiningOp()->getOperand(0);
      return matchPattern(branch, m_Constant(&number)) && number.getValueAsDouble() == -infinity;
    };
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return isLowest(select.getTrueValue()) || isLowest(select.getFalseValue());
    return isa<arith::AddFOp>(op) && (mayHide(op->getOperand(0)) || mayHide(op->getOperand(1)));
  }
  return false;
}

/// scores + mask, where a mask of -infinity hides its score, whatever that is.
void hideAdded(arith::AddFOp op, ArrayRef<const Datum *> operands, Tensor &result) {
  for (unsigned i : {0, 1}) {
    const Tensor &mask = std::get<Tensor>(*operands[i]);
    if (llvm::any_of(result.data, [](double x) { return std::isnan(x); }) && mayHide(op->getOperand(i)))
      for (auto [sum, added] : llvm::zip(result.data, mask.data))
        sum = added == -infinity ? added : sum;
  }
}

/// Where the rows whose largest element is asked for are -infinity alone: true for each of their elements.
std::vector<bool> hiddenRows(MaxOp op, const Tensor &source, const Environment &environment) {
  std::vector<bool> hidden(source.data.size(), true);
  int64_t axis = op.getOver().front();
  RaggedAxes ragged(dimsOf(op.getSource()), environment);
  Tensor seen(source.shape); // at the first element of a row: whether it has more than -infinity
  auto firstOf = [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> first(index);
    first[axis] = 0;
    return seen.offset(first);
  };
  size_t at = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    if (source.data[at++] != -infinity && ragged.isReal(index, axis))
      seen.data[static_cast<size_t>(firstOf(index))] = 1;
  });
  at = 0;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) { hidden[at++] = seen.data[static_cast<size_t>(firstOf(index))] == 0; });
  return hidden;
}

class Comparison {
public:
  Comparison(func::FuncOp formula, func::FuncOp replacement)
      : formula(formula), replacement(replacement), deciding(decidingValues(formula)), checkpoint(Checkpoint::open("seed:1", diagnostics)) {}

  std::optional<Disproof> run() {
    std::vector<Tensor> recipes;
    for (BlockArgument argument : formula.getArguments()) {
      Attribute recipe = formula.getArgAttr(argument.getArgNumber(), recipeAttr);
      auto value = recipe ? evaluateRecipe(recipe, checkpoint.get(), diagnostics, /*exact=*/true) : std::optional<Tensor>(Tensor());
      if (!value)
        return Disproof{"cannot be run: " + message(), "weights from seed:1"};
      recipes.push_back(std::move(*value));
    }
    HostileInputs inputs(formula, replacement);
    for (size_t i = 0; i < inputs.count(); ++i) {
      HostileInput input = inputs.make(i, recipes);
      if (auto what = compare(input)) {
        std::string sizes = input.sizes();
        return Disproof{*what, sizes.empty() ? input.name : input.name + ", with " + sizes};
      }
    }
    return std::nullopt;
  }

private:
  func::FuncOp formula, replacement;
  llvm::DenseSet<Value> deciding;
  Diagnostics diagnostics;
  std::unique_ptr<Checkpoint> checkpoint;
  std::vector<bool> hidden; // elements of the formula's result in rows that are -infinity alone, where a maximum subtracts them from themselves
  double ordinary = 0;      // the largest value of the formula's result on the first input

  std::string message() { return diagnostics.records().empty() ? "no reason" : diagnostics.records().back().message; }

  std::optional<Tensor> runFormula(const HostileInput &input, unsigned changed) {
    hidden.clear();
    std::vector<Tensor> arguments = input.arguments;
    uint64_t seed = changed;
    auto shakeIt = [&](Value value, Tensor &tensor) {
      if (changed && isa<FloatType>(elementOf(value)) && !deciding.contains(value))
        shake(tensor, seed += 2654435769u);
    };
    for (auto [argument, tensor] : llvm::zip(formula.getArguments(), arguments))
      shakeIt(argument, tensor);
    auto results = evaluateEntry(formula, arguments, input.environment, nullptr, diagnostics,
                                 [&](Operation *op, ArrayRef<const Datum *> operands, Datum &result) {
                                   auto *tensor = std::get_if<Tensor>(&result);
                                   if (auto product = dyn_cast<MatmulOp>(op))
                                     skipHidden(product, operands, *tensor);
                                   if (auto sum = dyn_cast<arith::AddFOp>(op))
                                     hideAdded(sum, operands, *tensor);
                                   if (auto max = dyn_cast<MaxOp>(op); max && max.getSource().getType() == resultOf(formula).getType())
                                     hidden = hiddenRows(max, std::get<Tensor>(*operands[0]), input.environment);
                                   if (tensor && !isView(op) && !isa<arith::SelectOp>(op))
                                     shakeIt(op->getResult(0), *tensor);
                                 });
    return results ? std::optional(std::move(results->front())) : std::nullopt;
  }

  /// What the formula's result moves by, for rounding errors of one unit in each step, over that unit; and whether it stays 0.
  struct Condition {
    std::vector<double> moved;
    std::vector<bool> isZero;
  };
  Condition conditionOf(const HostileInput &input, const Tensor &expected) {
    Condition condition{std::vector<double>(expected.data.size(), 0), std::vector<bool>(expected.data.size(), true)};
    for (unsigned changed = 1; changed <= changedRuns; ++changed) {
      auto result = runFormula(input, changed);
      for (size_t i = 0; i < expected.data.size(); ++i) {
        double before = expected.data[i], after = result->data[i];
        bool same = before == after || (std::isnan(before) && std::isnan(after));
        double difference = same ? 0 : std::isfinite(before - after) ? std::fabs(before - after) / change : infinity;
        condition.moved[i] = std::max(condition.moved[i], difference);
        condition.isZero[i] = condition.isZero[i] && asZero(before) == 0 && asZero(after) == 0;
      }
    }
    return condition;
  }

  std::optional<std::string> compare(const HostileInput &input) {
    auto expected = runFormula(input, 0);
    auto got = evaluateEntry(replacement, input.arguments, input.environment, nullptr, diagnostics);
    if (!expected || !got)
      return (expected ? "the replacement cannot be run: " : "the formula cannot be run: ") + message();
    if (expected->shape != got->front().shape)
      return fmt::format("expected a result of shape {}, got {}", shapeText(expected->shape), shapeText(got->front().shape));
    return compare(input, *expected, got->front());
  }

  std::optional<std::string> compare(const HostileInput &input, const Tensor &expected, const Tensor &got) {
    RaggedAxes ragged(dimsOf(resultOf(formula)), input.environment);
    std::optional<Condition> condition;
    std::optional<std::string> what;
    int64_t width = std::max<int64_t>(expected.shape.empty() ? 1 : expected.shape.back(), 1);
    int64_t at = 0;
    std::vector<double> largest(static_cast<size_t>(expected.count() / width), 0);
    for (int64_t i = 0; i < expected.count(); ++i)
      if (double value = std::fabs(expected.data[i]); std::isfinite(value))
        largest[i / width] = std::max(largest[i / width], value);
    if (!largest.empty() && ordinary == 0)
      ordinary = *std::max_element(largest.begin(), largest.end());
    forEachIndex(expected.shape, [&](ArrayRef<int64_t> index) {
      int64_t i = at++;
      double e = asZero(expected.data[i]), g = asZero(got.data[i]);
      auto complain = [&](const std::string &why) {
        what = fmt::format("expected {}, got {} at {} of the result{}", numberText(e), numberText(g), shapeText(index), why);
      };
      if (what || !ragged.isReal(index))
        return;
      if (std::isnan(e) && !hidden.empty() && hidden[i]) {
        e = 0;
        return g == 0 ? void() : complain(": a row that sees nothing gives exactly 0");
      }
      if (e == g || (std::isnan(e) && std::isnan(g)))
        return;
      if (!std::isfinite(e) || !std::isfinite(g))
        return complain("");
      double difference = std::fabs(e - g);
      if (difference <= mostUnits * unit * largest[i / width] && e != 0)
        return;
      if (!condition)
        condition = conditionOf(input, expected);
      if (condition->isZero[i])
        return complain(", which is exactly 0 whatever the rounding");
      double moved = *std::max_element(condition->moved.begin() + i / width * width, condition->moved.begin() + (i / width + 1) * width);
      double tolerance = mostUnits * unit * (largest[i / width] + moved);
      if (tolerance > bound * std::max(ordinary, largest[i / width]))
        return complain(": the formula has no bounded condition there, so nothing can be proved of it");
      if (difference > tolerance)
        complain(fmt::format(", beyond {:.2g}: 64 units in the last place times a condition of {:.2g}", tolerance,
                             1 + moved / std::max(largest[i / width], std::numeric_limits<double>::min())));
    });
    return what;
  }
};
} // namespace

std::optional<Disproof> disprove(func::FuncOp formula, func::FuncOp replacement) { return Comparison(formula, replacement).run(); }

} // namespace heddle
