// Arithmetic of sizes; Polynomial.h says what it is for.
#include "compiler/memory/Polynomial.h"
#include <algorithm>
#include <iterator>

using namespace heddle;

Polynomial Polynomial::constant(int64_t value) {
  Polynomial result;
  result.set({}, value);
  return result;
}

Polynomial Polynomial::dimension(int64_t index) {
  Polynomial result;
  result.set({index}, 1);
  return result;
}

void Polynomial::set(const Monomial &monomial, int64_t value) {
  if (value)
    coefficients[monomial] = value;
  else
    coefficients.erase(monomial);
}

int64_t Polynomial::coefficient(const Monomial &monomial) const {
  auto found = coefficients.find(monomial);
  return found == coefficients.end() ? 0 : found->second;
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (coefficients.empty())
    return 0;
  if (coefficients.size() == 1 && coefficients.begin()->first.empty())
    return coefficients.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::degree() const {
  size_t degree = 0;
  for (const auto &[monomial, value] : coefficients)
    degree = std::max(degree, monomial.size());
  return static_cast<int64_t>(degree);
}

std::optional<Polynomial> Polynomial::plus(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, value] : other.coefficients) {
    int64_t sum;
    if (__builtin_add_overflow(coefficient(monomial), value, &sum))
      return std::nullopt;
    result.set(monomial, sum);
  }
  return result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[left, a] : coefficients)
    for (const auto &[right, b] : other.coefficients) {
      Monomial product;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(product));
      int64_t value, sum;
      if (__builtin_mul_overflow(a, b, &value) || __builtin_add_overflow(result.coefficient(product), value, &sum))
        return std::nullopt;
      result.set(product, sum);
    }
  return result;
}

Polynomial Polynomial::dividedUp(int64_t divisor) const {
  Polynomial result;
  for (const auto &[monomial, value] : coefficients)
    result.set(monomial, value / divisor + (value % divisor > 0)); // C++ rounds a negative quotient towards 0, which is up
  return result;
}

Polynomial Polynomial::maximum(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[monomial, value] : coefficients)
    result.set(monomial, std::max(value, other.coefficient(monomial)));
  for (const auto &[monomial, value] : other.coefficients)
    result.set(monomial, std::max(value, coefficient(monomial)));
  return result;
}

bool Polynomial::atMost(const Polynomial &other) const {
  for (const auto &[monomial, value] : coefficients)
    if (value > other.coefficient(monomial))
      return false;
  for (const auto &[monomial, value] : other.coefficients)
    if (coefficient(monomial) > value)
      return false;
  return true;
}

bool Polynomial::isMultipleOf(int64_t factor) const {
  return std::all_of(coefficients.begin(), coefficients.end(), [&](const auto &term) { return term.second % factor == 0; });
}

double Polynomial::evaluate(const std::vector<double> &dimensions) const {
  double sum = 0;
  for (const auto &[monomial, value] : coefficients) {
    double product = static_cast<double>(value);
    for (int64_t index : monomial)
      product *= dimensions.at(index);
    sum += product;
  }
  return sum;
}
