// rearrange(x, [..] -> [..]): one pattern for every reshape, transpose and repeat. Left the axes of x are cut into atoms, right the atoms are put
// together anew.
#include "compiler/frontend/Expander.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace heddle::frontend {

using namespace syntax;

namespace {

/// A factor of a pattern: a name, or an int greater than 1, which is a name for itself.
struct Factor {
  std::string name;
  Position at;
  std::optional<int64_t> number;
};

/// One axis of a pattern: a product of factors, `1`, or `..`.
struct PatternAxis {
  Position at;
  bool leading = false;
  std::vector<Factor> factors; // none: a unit axis
};

struct Atom {
  Axis axis;
  bool repeated = false; // only the right side has it
};

bool readFactors(const Expr &expr, std::vector<Factor> &into, Trace &trace) {
  if (auto *product = std::get_if<Binary>(&expr.node); product && product->op == Operator::Multiply)
    return readFactors(*product->left, into, trace) && readFactors(*product->right, into, trace);
  if (auto *path = std::get_if<Path>(&expr.node)) {
    into.push_back({path->name, expr.at, std::nullopt});
    return true;
  }
  if (auto *number = std::get_if<IntLiteral>(&expr.node); number && number->value >= 1) {
    if (number->value > 1)
      into.push_back({std::to_string(number->value), expr.at, number->value});
    return true;
  }
  trace.error(expr.at, "rearrange: an axis is a product of names and ints");
  return false;
}

std::optional<std::vector<PatternAxis>> readPattern(const std::vector<AxisExpr> &axes, Trace &trace) {
  std::vector<PatternAxis> pattern;
  std::set<std::string> seen;
  for (const AxisExpr &expr : axes) {
    PatternAxis axis{expr.at, expr.leading, {}};
    if (expr.ragged || expr.bound) {
      trace.error(expr.at, "rearrange: an axis is a product of names and ints; '...' stands in signatures only");
      return std::nullopt;
    }
    if (!expr.leading && !readFactors(*expr.extent, axis.factors, trace))
      return std::nullopt;
    for (const Factor &factor : axis.factors)
      if (!seen.insert(factor.name).second) {
        std::string remedy = factor.number ? "" : fmt::format("; give the second a name of its own (q = {})", factor.name);
        trace.error(factor.at, fmt::format("rearrange: axis '{}' twice on one side{}", factor.name, remedy));
        return std::nullopt;
      }
    pattern.push_back(std::move(axis));
  }
  return pattern;
}

/// What the two sides of one pattern become.
class Arrangement {
public:
  using Lookup = std::function<std::optional<Extent>(const std::string &)>;
  Arrangement(const Value &source, Lookup known, Trace &trace) : source(source), known(std::move(known)), trace(trace) {}

  bool cut(const std::vector<PatternAxis> &left, Position at);
  bool arrange(const std::vector<PatternAxis> &right);

  Axes leading;                   // what `..` stands for
  std::vector<std::string> order; // of the atoms on the left
  std::map<std::string, Atom> atoms;
  struct Target {
    std::vector<std::string> atoms;
    Axis axis;
  };
  std::vector<Target> targets; // the axes on the right, behind `..`

private:
  bool cutAxis(const PatternAxis &pattern, const Axis &axis);
  bool refuseCut(const Axis &axis, Position at);

  const Value &source;
  Lookup known;
  Trace &trace;
};

bool Arrangement::cut(const std::vector<PatternAxis> &left, Position at) {
  const Axes &axes = *source.axes();
  size_t first = !left.empty() && left.front().leading ? 1 : 0, stated = left.size() - first;
  if (first ? axes.size() < stated : axes.size() != stated) {
    trace.error(at, fmt::format("rearrange: {} has {} axes, the pattern {}{}", source.describe(), axes.size(), first ? "at least " : "", stated));
    return false;
  }
  leading.assign(axes.begin(), axes.end() - stated);
  for (size_t i = 0; i < stated; ++i)
    if (!cutAxis(left[first + i], axes[axes.size() - stated + i]))
      return false;
  return true;
}

bool Arrangement::refuseCut(const Axis &axis, Position at) {
  if (axis.extent.isStatic())
    return false;
  if (axis.extent.isBatch())
    trace.error(at, fmt::format("rearrange: '{}' is the batch and cannot be cut or merged", axis.extent.form()));
  else if (axis.extent.isRagged())
    trace.error(at, fmt::format("rearrange: '{}' is ragged and cannot be cut or merged", axis.extent.form()));
  else
    trace.error(at, fmt::format("rearrange: cutting or merging '{}', which a run decides, is not built yet", axis.extent.form()));
  return true;
}

bool Arrangement::cutAxis(const PatternAxis &pattern, const Axis &axis) {
  auto add = [&](const Factor &factor, Axis atom) {
    order.push_back(factor.name);
    atoms[factor.name] = {std::move(atom), false};
  };
  if (pattern.factors.empty()) { // `1` drops an axis
    if (axis.extent.isStatic() && axis.extent.staticValue() == 1)
      return true;
    trace.error(pattern.at, fmt::format("rearrange: 1 meets {}", axis.extent.print()));
    return false;
  }
  auto extentOf = [&](const Factor &factor) { return factor.number ? std::optional(Extent(*factor.number)) : known(factor.name); };
  auto disagrees = [&](const Extent &stated, const std::string &name, const Extent &found) {
    if (stated.agrees(found))
      return false;
    trace.error(pattern.at, fmt::format("rearrange: '{}' is {} here, the axis is {}", name, stated.print(), found.print()));
    return true;
  };
  if (pattern.factors.size() == 1) {
    const Factor &factor = pattern.factors.front();
    std::optional<Extent> stated = extentOf(factor);
    if (stated && disagrees(*stated, factor.name, axis.extent))
      return false;
    add(factor, axis);
    return true;
  }
  if (refuseCut(axis, pattern.at))
    return false;
  const Factor *open = nullptr;
  std::optional<Extent> product = Extent(1);
  for (const Factor &factor : pattern.factors) {
    std::optional<Extent> stated = extentOf(factor);
    if (!stated && open) {
      trace.error(factor.at,
                  fmt::format("rearrange: both '{}' and '{}' are unknown; all factors but one must be ints in scope", open->name, factor.name));
      return false;
    }
    stated ? void(product = product ? *product * *stated : product) : void(open = &factor);
  }
  int64_t parts = product ? product->staticValue() : 0;
  if (parts < 1 || axis.extent.staticValue() % parts != 0 || (!open && axis.extent.staticValue() != parts)) {
    trace.error(pattern.at,
                parts < 1 ? "rearrange: the product of the factors is no extent"
                          : fmt::format("{} is not divisible by {}", axis.extent.print(), product->print()),
                {fmt::format("choose a multiple of {}", parts)});
    return false;
  }
  for (const Factor &factor : pattern.factors)
    add(factor, {&factor == open ? *(axis.extent / *product) : *extentOf(factor)});
  return true;
}

bool Arrangement::arrange(const std::vector<PatternAxis> &right) {
  std::set<std::string> used;
  for (const PatternAxis &pattern : right) {
    if (pattern.leading)
      continue;
    Target target{{}, Axis::makeUnit()};
    for (const Factor &factor : pattern.factors) {
      if (!atoms.contains(factor.name)) { // only the right side has it: repeat
        std::optional<Extent> count = factor.number ? std::optional(Extent(*factor.number)) : known(factor.name);
        if (!count || count->staticValue() < 1) {
          trace.error(factor.at, fmt::format("rearrange: '{}' stands on the right only and is no int in scope", factor.name));
          return false;
        }
        atoms[factor.name] = {{*count}, true};
      }
      used.insert(factor.name);
      target.atoms.push_back(factor.name);
    }
    if (target.atoms.size() == 1) {
      target.axis = atoms[target.atoms.front()].axis;
    } else if (!target.atoms.empty()) {
      std::optional<Extent> product = Extent(1);
      for (const std::string &name : target.atoms) {
        if (refuseCut(atoms[name].axis, pattern.at))
          return false;
        product = product ? *product * atoms[name].axis.extent : product;
      }
      if (!product) {
        trace.error(pattern.at, "rearrange: the merged axis does not fit into 64 bits");
        return false;
      }
      target.axis = {*product};
    }
    targets.push_back(std::move(target));
  }
  for (const std::string &name : order)
    if (!used.contains(name)) {
      trace.error(right.empty() ? Position{} : right.front().at, fmt::format("rearrange: axis '{}' stands on the left only", name));
      return false;
    }
  return true;
}

} // namespace

Value Expander::evaluateRearrange(const Expr &expr, const Rearrange &node) {
  Value source = evaluate(*node.source);
  emitter.at(expr.at);
  std::optional<Tensor> tensor = source.failed() ? std::nullopt : movable(source, "rearrange", expr.at);
  auto left = tensor ? readPattern(node.left, trace) : std::nullopt, right = left ? readPattern(node.right, trace) : std::nullopt;
  if (!right)
    return Failed();
  auto hasLeading = [](const std::vector<PatternAxis> &pattern) { return !pattern.empty() && pattern.front().leading; };
  if (hasLeading(*left) != hasLeading(*right))
    return trace.fail(expr.at, "rearrange: '..' stands on both sides or on none");
  auto knownInt = [this](const std::string &name) { // a dimension of the name is no int: the pattern's own name then
    std::optional<Extent> found = namedExtent(name);
    return found && found->isStatic() ? found : std::nullopt;
  };
  Arrangement plan(source, knownInt, trace);
  if (!plan.cut(*left, expr.at) || !plan.arrange(*right) || !emitter.ready())
    return Failed();
  return emitArrangement(*tensor, plan.leading, plan);
}

/// reshape (cut), transpose (move), broadcast (repeat), reshape (merge), each only where it changes something.
template <typename Plan> Value Expander::emitArrangement(const Tensor &tensor, const Axes &leading, const Plan &plan) {
  Axes cut = leading, moved, repeated = leading, result = leading;
  std::vector<std::string> kept; // real atoms, left order
  for (const std::string &name : plan.order) {
    const Axis &axis = plan.atoms.at(name).axis;
    cut.push_back(axis);
    if (!axis.unit)
      kept.push_back(name);
  }
  int64_t lead = std::ranges::count_if(leading, [](const Axis &axis) { return !axis.unit; });
  llvm::SmallVector<int64_t> permutation(lead);
  std::iota(permutation.begin(), permutation.end(), 0);
  moved = leading;
  for (const auto &target : plan.targets) {
    for (const std::string &name : target.atoms) {
      const auto &atom = plan.atoms.at(name);
      repeated.push_back(atom.axis);
      moved.push_back(atom.repeated ? Axis::makeUnit() : atom.axis); // repeated ones are widened afterwards
      if (!atom.repeated && !atom.axis.unit)
        permutation.push_back(lead + (std::ranges::find(kept, name) - kept.begin()));
    }
    result.push_back(target.axis);
  }
  mlir::Value value = emitter.reshape(emitter.read(tensor), cut);
  if (!std::ranges::is_sorted(permutation))
    value = emitter.make<TransposeOp>(emitter.type(tensor.element, moved), value, permutation);
  value = emitter.widen(value, moved, repeated);
  return Tensor{tensor.element, result, emitter.reshape(value, result), ""};
}

} // namespace heddle::frontend
