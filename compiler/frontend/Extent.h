// How long an axis is: a number that is known, or a form over named dimensions that a run decides. The compile-time ints of the language are extents
// too, so that messages can speak in the text's own names (`n_embd 64`, not `64`).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::frontend {

/// What a name in an extent stands for: a configuration key with its value, or a dimension of an entry.
struct ExtentName {
  std::string name;
  unsigned order = 0;           // of first mention; forms are sorted by it
  std::optional<int64_t> value; // of a key; a dimension has none
  bool ragged = false, batch = false;
  int64_t bound = 0;                     // of a dimension: 0 for none
  const ExtentName *batchName = nullptr; // of a ragged dimension
};

/// A form (sum of products of names with whole exponents) and, if no dimension is in it, its value.
class Extent {
public:
  Extent() = default;
  explicit Extent(int64_t constant);
  explicit Extent(const ExtentName &name);

  bool isStatic() const { return value.has_value(); }
  int64_t staticValue() const { return *value; }
  /// Written as this number, not merely of this value.
  bool isLiteral(int64_t number) const;
  /// The dimension or key that this extent is, and nothing else; or null.
  const ExtentName *name() const;
  /// The first dimension in the form, or null.
  const ExtentName *dimension() const;
  bool isRagged() const { return !isStatic() && name() && name()->ragged; }
  bool isBatch() const { return !isStatic() && name() && name()->batch; }

  /// The same normal form: this is what `over=` asks.
  bool sameForm(const Extent &other) const { return terms == other.terms; }
  /// Static extents agree by value, others by form.
  bool agrees(const Extent &other) const;

  /// `3 * n_embd`
  std::string form() const;
  /// As types print it: `3 * n_embd 192`, `sequence...`, `64`.
  std::string print() const;

  // None where a value leaves 64 bits. A form that grows too large is replaced by its value. Division: the caller has checked that it comes out even.
  friend std::optional<Extent> operator+(const Extent &a, const Extent &b);
  friend std::optional<Extent> operator-(const Extent &a, const Extent &b);
  friend std::optional<Extent> operator*(const Extent &a, const Extent &b);
  friend std::optional<Extent> operator/(const Extent &a, const Extent &b);

private:
  struct Term {
    int64_t numerator = 1, denominator = 1;
    std::vector<std::pair<const ExtentName *, int>> factors; // ascending by order
    bool operator==(const Term &) const = default;
  };
  using Terms = std::vector<Term>;
  static std::optional<Extent> make(std::optional<int64_t> value, std::optional<Terms> terms, bool isStatic);
  static std::optional<Terms> addTerms(const Terms &a, const Terms &b, int64_t sign);
  static std::optional<Terms> multiplyTerms(const Terms &a, const Terms &b);
  static std::optional<Term> multiplyTerm(const Term &a, const Term &b);
  static bool before(const Term &a, const Term &b);
  static std::string printTerm(const Term &term);

  std::optional<int64_t> value;
  Terms terms; // sorted, no two with the same factors, none zero
};

} // namespace heddle::frontend
