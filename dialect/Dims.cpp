// Named extents: the canonical form, its text, and the questions asked of it.
#include "dialect/Heddle.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

DimsAttr DimsAttr::getCanonical(MLIRContext *context, ArrayRef<StringAttr> names, ArrayRef<AffineExpr> extents) {
  SmallVector<StringAttr> used;
  for (auto [i, name] : llvm::enumerate(names))
    if (llvm::any_of(extents, [&, i = i](AffineExpr e) { return e.isFunctionOfSymbol(i); }) && !llvm::is_contained(used, name))
      used.push_back(name);
  llvm::sort(used, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  SmallVector<AffineExpr> replacement;
  for (StringAttr name : names) {
    auto it = llvm::find(used, name);
    replacement.push_back(it == used.end() ? getAffineConstantExpr(0, context) : getAffineSymbolExpr(it - used.begin(), context));
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr e : extents) // simplifyAffineExpr makes a + b and b + a one expression
    results.push_back(simplifyAffineExpr(e.replaceSymbols(replacement), 0, used.size()));
  return get(context, used, AffineMap::get(0, used.size(), results, context));
}

DimsAttr DimsAttr::named(MLIRContext *context, StringRef name) {
  return getCanonical(context, StringAttr::get(context, name), getAffineSymbolExpr(0, context));
}

DimsAttr DimsAttr::fixed(MLIRContext *context, ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results;
  for (int64_t extent : extents)
    results.push_back(getAffineConstantExpr(extent, context));
  return getCanonical(context, {}, results);
}

DimsAttr DimsAttr::select(ArrayRef<int64_t> positions) const {
  SmallVector<AffineExpr> extents;
  for (int64_t p : positions)
    extents.push_back(getMap().getResult(p));
  return getCanonical(getContext(), getNames(), extents);
}

DimsAttr DimsAttr::dropFront(int64_t count) const { return select(llvm::to_vector(llvm::seq<int64_t>(count, getRank()))); }
DimsAttr DimsAttr::dropBack(int64_t count) const { return select(llvm::to_vector(llvm::seq<int64_t>(0, getRank() - count))); }

DimsAttr DimsAttr::without(int64_t position) const {
  SmallVector<int64_t> rest = llvm::to_vector(llvm::seq<int64_t>(0, getRank()));
  rest.erase(rest.begin() + position);
  return select(rest);
}

DimsAttr DimsAttr::concat(DimsAttr other) const {
  SmallVector<StringAttr> names(getNames());
  SmallVector<AffineExpr> extents(getMap().getResults());
  for (AffineExpr e : other.getMap().getResults())
    extents.push_back(e.shiftSymbols(other.getNames().size(), names.size()));
  llvm::append_range(names, other.getNames());
  return getCanonical(getContext(), names, extents);
}

StringAttr DimsAttr::nameOf(int64_t position) const {
  auto symbol = dyn_cast<AffineSymbolExpr>(getMap().getResult(position));
  return symbol ? getNames()[symbol.getPosition()] : StringAttr();
}

std::optional<int64_t> DimsAttr::find(StringRef name) const {
  for (int64_t i = 0; i < getRank(); ++i)
    if (StringAttr n = nameOf(i); n && n.getValue() == name)
      return i;
  return std::nullopt;
}

SmallVector<int64_t> DimsAttr::shape() const {
  SmallVector<int64_t> shape;
  for (AffineExpr e : getMap().getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(e);
    shape.push_back(constant ? constant.getValue() : ShapedType::kDynamic);
  }
  return shape;
}

DimsAttr DimsAttr::offsets() const { return getCanonical(getContext(), getNames(), {getMap().getResult(0) + 1}); }

/// Affine expressions know no product of two symbols; each such monomial becomes a name of its own, with its factors sorted, so that products agree
/// by name.
DimsAttr DimsAttr::product() const {
  int64_t constant = 1;
  SmallVector<std::string> factors;
  for (AffineExpr e : getMap().getResults()) {
    int64_t divisor = e.getLargestKnownDivisor();
    if (auto c = dyn_cast<AffineConstantExpr>(e)) {
      constant *= c.getValue();
      continue;
    }
    constant *= divisor;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << getCanonical(getContext(), getNames(), {e.floorDiv(divisor)});
    factors.push_back(text);
  }
  llvm::sort(factors);
  if (factors.empty())
    return fixed(getContext(), {constant});
  auto name = StringAttr::get(getContext(), llvm::join(factors, "*"));
  return getCanonical(getContext(), {name}, {getAffineSymbolExpr(0, getContext()) * constant});
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, function_ref<InFlightDiagnostic()> emitError) const {
  if (static_cast<int64_t>(shape.size()) != getRank())
    return emitError() << "expected " << shape.size() << " named extents, got " << getRank();
  for (auto [i, size] : llvm::enumerate(this->shape()))
    if (shape[i] != size)
      return emitError() << "extent " << extent(i) << " does not agree with axis " << i << " of the shape";
  return success();
}

//===---- text: expr ::= term (`+` term)*; term ::= factor ((`*` | `floordiv` | `ceildiv`) factor)*; factor ::= name | int | `(` expr `)` ----===//

namespace {
struct ExtentParser {
  AsmParser &parser;
  SmallVector<StringAttr> names;

  ParseResult factor(AffineExpr &e) {
    StringRef name;
    int64_t number;
    if (succeeded(parser.parseOptionalLParen()))
      return failure(failed(sum(e)) || failed(parser.parseRParen()));
    if (succeeded(parser.parseOptionalKeyword(&name))) {
      auto attr = StringAttr::get(parser.getContext(), name);
      auto it = llvm::find(names, attr);
      e = getAffineSymbolExpr(it - names.begin(), parser.getContext());
      if (it == names.end())
        names.push_back(attr);
      return success();
    }
    if (parser.parseInteger(number))
      return failure();
    e = getAffineConstantExpr(number, parser.getContext());
    return success();
  }
  ParseResult product(AffineExpr &e) {
    if (factor(e))
      return failure();
    while (true) {
      AffineExpr right;
      bool times = succeeded(parser.parseOptionalStar());
      bool floor = !times && succeeded(parser.parseOptionalKeyword("floordiv"));
      bool ceil = !times && !floor && succeeded(parser.parseOptionalKeyword("ceildiv"));
      if (!times && !floor && !ceil)
        return success();
      SMLoc at = parser.getCurrentLocation();
      if (factor(right))
        return failure();
      if (!isa<AffineConstantExpr>(right) && (!times || !isa<AffineConstantExpr>(e)))
        return parser.emitError(at, "an extent may multiply or divide by a number only");
      if (auto c = dyn_cast<AffineConstantExpr>(right); !times && c.getValue() < 1)
        return parser.emitError(at, "division by less than 1");
      e = times ? e * right : floor ? e.floorDiv(right) : e.ceilDiv(right);
    }
  }
  ParseResult sum(AffineExpr &e) {
    if (product(e))
      return failure();
    while (succeeded(parser.parseOptionalPlus())) {
      AffineExpr right;
      if (product(right))
        return failure();
      e = e + right;
    }
    return success();
  }
};

void printExtent(AsmPrinter &p, ArrayRef<StringAttr> names, AffineExpr e, bool inner) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e)) {
    p << names[symbol.getPosition()].getValue();
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(e)) {
    p << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(e);
  StringRef sign = e.getKind() == AffineExprKind::Add        ? " + "
                   : e.getKind() == AffineExprKind::Mul      ? " * "
                   : e.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                             : " ceildiv ";
  if (inner)
    p << "(";
  printExtent(p, names, binary.getLHS(), true);
  p << sign;
  printExtent(p, names, binary.getRHS(), true);
  if (inner)
    p << ")";
}
} // namespace

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  ExtentParser extents{parser, {}};
  SmallVector<AffineExpr> results;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] { return extents.sum(results.emplace_back()); }))
    return {};
  return getCanonical(parser.getContext(), extents.names, results);
}

void DimsAttr::print(AsmPrinter &p) const {
  p << "<";
  llvm::interleaveComma(getMap().getResults(), p, [&](AffineExpr e) { printExtent(p, getNames(), e, false); });
  p << ">";
}
