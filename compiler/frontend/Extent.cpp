// Arithmetic and printing of extents.
#include "compiler/frontend/Extent.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

namespace heddle::frontend {

/// Beyond these a form says nothing to a reader any more.
static constexpr size_t maxTerms = 6;
static constexpr int maxPower = 8;
/// The one int without a negative; it counts as not fitting into 64 bits.
static constexpr int64_t smallest = INT64_MIN;

Extent::Extent(int64_t constant) : value(constant) {
  if (constant != 0)
    terms.push_back({constant, 1, {}});
}

Extent::Extent(const ExtentName &name) : value(name.value), terms{{1, 1, {{&name, 1}}}} {}

bool Extent::isLiteral(int64_t number) const { return value == number && (terms.empty() || (terms.size() == 1 && terms[0].factors.empty())); }

const ExtentName *Extent::name() const {
  if (terms.size() != 1 || terms[0].numerator != 1 || terms[0].denominator != 1 || terms[0].factors.size() != 1 || terms[0].factors[0].second != 1)
    return nullptr;
  return terms[0].factors[0].first;
}

const ExtentName *Extent::dimension() const {
  for (const Term &term : terms)
    for (auto [name, power] : term.factors)
      if (!name->value)
        return name;
  return nullptr;
}

bool Extent::agrees(const Extent &other) const {
  if (isStatic() != other.isStatic())
    return false;
  return isStatic() ? *value == *other.value : sameForm(other);
}

/// By the names, higher powers first, plain numbers last.
bool Extent::before(const Term &a, const Term &b) {
  for (size_t i = 0; i < std::min(a.factors.size(), b.factors.size()); ++i) {
    if (a.factors[i].first != b.factors[i].first)
      return a.factors[i].first->order < b.factors[i].first->order;
    if (a.factors[i].second != b.factors[i].second)
      return a.factors[i].second > b.factors[i].second;
  }
  return a.factors.size() > b.factors.size();
}

std::optional<Extent::Terms> Extent::addTerms(const Terms &a, const Terms &b, int64_t sign) {
  Terms result = a;
  for (Term term : b) {
    term.numerator *= sign;
    auto same = std::ranges::find(result, term.factors, &Term::factors);
    if (same == result.end()) {
      result.push_back(std::move(term));
      continue;
    }
    int64_t left, right, numerator, denominator;
    if (__builtin_mul_overflow(same->numerator, term.denominator, &left) || __builtin_mul_overflow(term.numerator, same->denominator, &right) ||
        __builtin_add_overflow(left, right, &numerator) || __builtin_mul_overflow(same->denominator, term.denominator, &denominator) ||
        numerator == smallest)
      return std::nullopt;
    int64_t divisor = std::gcd(numerator, denominator);
    *same = {numerator / divisor, denominator / divisor, same->factors};
    if (numerator == 0)
      result.erase(same);
  }
  std::ranges::sort(result, before);
  return result;
}

std::optional<Extent::Term> Extent::multiplyTerm(const Term &a, const Term &b) {
  Term result;
  if (__builtin_mul_overflow(a.numerator, b.numerator, &result.numerator) ||
      __builtin_mul_overflow(a.denominator, b.denominator, &result.denominator) || result.numerator == smallest)
    return std::nullopt;
  int64_t divisor = std::gcd(result.numerator, result.denominator);
  result.numerator /= divisor, result.denominator /= divisor;
  result.factors = a.factors;
  for (auto [name, power] : b.factors) {
    auto place = std::ranges::lower_bound(result.factors, name->order, {}, [](const auto &factor) { return factor.first->order; });
    if (place == result.factors.end() || place->first != name)
      result.factors.insert(place, {name, power});
    else if ((place->second += power) == 0)
      result.factors.erase(place);
  }
  if (std::ranges::any_of(result.factors, [](const auto &factor) { return std::abs(factor.second) > maxPower; }))
    return std::nullopt;
  return result;
}

std::optional<Extent::Terms> Extent::multiplyTerms(const Terms &a, const Terms &b) {
  Terms result;
  for (const Term &left : a)
    for (const Term &right : b) {
      std::optional<Term> term = multiplyTerm(left, right);
      std::optional<Terms> sum = term ? addTerms(result, {*term}, 1) : std::nullopt;
      if (!sum || sum->size() > maxTerms)
        return std::nullopt;
      result = std::move(*sum);
    }
  return result;
}

std::optional<Extent> Extent::make(std::optional<int64_t> value, std::optional<Terms> terms, bool isStatic) {
  if (isStatic && (!value || *value == smallest))
    return std::nullopt;
  if (!terms || terms->size() > maxTerms)
    return isStatic ? std::optional(Extent(*value)) : std::nullopt;
  Extent result;
  if (isStatic)
    result.value = value;
  result.terms = std::move(*terms);
  return result;
}

std::optional<Extent> operator+(const Extent &a, const Extent &b) {
  bool isStatic = a.value && b.value;
  int64_t value;
  if (isStatic && __builtin_add_overflow(*a.value, *b.value, &value))
    return std::nullopt;
  return Extent::make(isStatic ? std::optional(value) : std::nullopt, Extent::addTerms(a.terms, b.terms, 1), isStatic);
}

std::optional<Extent> operator-(const Extent &a, const Extent &b) {
  bool isStatic = a.value && b.value;
  int64_t value;
  if (isStatic && (__builtin_sub_overflow(*a.value, *b.value, &value)))
    return std::nullopt;
  return Extent::make(isStatic ? std::optional(value) : std::nullopt, Extent::addTerms(a.terms, b.terms, -1), isStatic);
}

std::optional<Extent> operator*(const Extent &a, const Extent &b) {
  bool isStatic = a.value && b.value;
  int64_t value;
  if (isStatic && __builtin_mul_overflow(*a.value, *b.value, &value))
    return std::nullopt;
  return Extent::make(isStatic ? std::optional(value) : std::nullopt, Extent::multiplyTerms(a.terms, b.terms), isStatic);
}

std::optional<Extent> operator/(const Extent &a, const Extent &b) {
  bool isStatic = a.value && b.value;
  std::optional<int64_t> value;
  if (isStatic)
    value = *a.value / *b.value;
  std::optional<Extent::Terms> terms;
  if (b.terms.size() == 1 && b.terms[0].numerator > 0) { // a sum has no inverse among the forms
    Extent::Term inverse = b.terms[0];
    std::swap(inverse.numerator, inverse.denominator);
    for (auto &[name, power] : inverse.factors)
      power = -power;
    terms = Extent::multiplyTerms(a.terms, {inverse});
  } else if (a.sameForm(b)) {
    terms = Extent(1).terms;
  }
  return Extent::make(value, std::move(terms), isStatic);
}

std::string Extent::printTerm(const Term &term) {
  std::string above, below;
  auto append = [](std::string &text, const std::string &name, int power) {
    text += fmt::format("{}{}{}", text.empty() ? "" : " * ", name, power == 1 ? "" : fmt::format(" ^ {}", power));
  };
  int64_t size = std::abs(term.numerator);
  if (size != 1)
    above = std::to_string(size);
  for (auto [name, power] : term.factors)
    power > 0 ? append(above, name->name, power) : append(below, name->name, -power);
  if (term.denominator != 1)
    append(below, std::to_string(term.denominator), 1);
  if (above.empty())
    above = "1";
  if (below.empty())
    return above;
  return above + " / " + (below.find(" * ") == below.npos ? below : "(" + below + ")");
}

std::string Extent::form() const {
  if (terms.empty())
    return "0";
  std::string text;
  for (const Term &term : terms) {
    const char *sign = term.numerator < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    text += sign + printTerm(term);
  }
  return text;
}

std::string Extent::print() const {
  if (!isStatic())
    return form() + (isRagged() ? "..." : "");
  bool plain = terms.empty() || (terms.size() == 1 && terms[0].factors.empty());
  return plain ? std::to_string(*value) : fmt::format("{} {}", form(), *value);
}

} // namespace heddle::frontend
