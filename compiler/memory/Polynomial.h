// Sizes as polynomials of an entry's dimensions, in 64 bits with overflow seen. The arena's plan calculates with nothing else.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle {

/// Indices of dimensions, ascending, repeated for powers: {0, 2} is d0 * d2, {} is 1.
using Monomial = std::vector<int64_t>;

/// Sum of coefficient * monomial; no coefficient is 0. Dimensions are never negative at run time, so "<= for each coefficient" means "<= for all of
/// them".
class Polynomial {
public:
  Polynomial() = default;
  static Polynomial constant(int64_t value);
  static Polynomial dimension(int64_t index);

  const std::map<Monomial, int64_t> &terms() const { return coefficients; }
  int64_t coefficient(const Monomial &monomial) const;
  /// The value where nothing but a constant is left.
  std::optional<int64_t> asConstant() const;
  int64_t degree() const;

  /// Nothing on overflow of 64 bits.
  std::optional<Polynomial> plus(const Polynomial &other) const;
  std::optional<Polynomial> times(const Polynomial &other) const;

  /// The least polynomial that is at least this / divisor, coefficient by coefficient. divisor > 0.
  Polynomial dividedUp(int64_t divisor) const;
  /// The maximum per coefficient: an upper bound of both that stays a polynomial.
  Polynomial maximum(const Polynomial &other) const;
  /// No coefficient is greater than that of `other`.
  bool atMost(const Polynomial &other) const;
  /// A multiple of `factor` whatever the dimensions are.
  bool isMultipleOf(int64_t factor) const;

  double evaluate(const std::vector<double> &dimensions) const;
  bool operator==(const Polynomial &other) const = default;

private:
  void set(const Monomial &monomial, int64_t value);
  std::map<Monomial, int64_t> coefficients;
};

} // namespace heddle
