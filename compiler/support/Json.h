// JSON from outside (configuration, tokenizers, headers of weight files): a small tree of values in which every value and key knows its line and
// column, so that a message about a value can point at it. Anything doubtful is refused: see parseJson.
#pragma once
#include "compiler/support/Diagnostics.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle {

struct JsonMember;
struct JsonObject;

/// One value. Numbers written without fraction and exponent that fit 64 bits are ints; 2.0 and 1e3 are doubles and never taken for ints.
class Json {
public:
  enum class Kind { Null, Bool, Int, Double, String, Array, Object };
  using Array = std::vector<Json>;

  unsigned line = 0, column = 0; // of the value's first character

  Json() = default;
  Json(Json &&) noexcept;
  Json &operator=(Json &&) noexcept;
  ~Json();

  Kind kind() const { return static_cast<Kind>(value.index()); }
  bool isNull() const { return kind() == Kind::Null; }
  bool isArray() const { return kind() == Kind::Array; }
  bool isObject() const { return kind() == Kind::Object; }

  /// The value as this type, null where it is of another. number() takes ints too.
  const bool *boolean() const { return std::get_if<bool>(&value); }
  const int64_t *integer() const { return std::get_if<int64_t>(&value); }
  std::optional<double> number() const;
  /// A string with a lone surrogate is none.
  const std::string *string() const;

  /// Elements of an array; none for other kinds.
  const Array &elements() const;
  /// Members of an object in the order of the file; none for other kinds.
  const std::vector<JsonMember> &members() const;
  /// The member `key` of an object, or null. Logarithmic: vocabularies have a hundred thousand keys.
  const Json *find(std::string_view key) const;

  Place at(const std::string &file) const { return {file, line, column}; }
  /// For messages: `"twelve"`, `2.5`, `null`, `a list`, `an object`; long strings are cut.
  std::string describe() const;

private:
  friend class JsonReader;
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, std::unique_ptr<JsonObject>> value;
};

struct JsonMember {
  std::string key;
  unsigned line = 0, column = 0; // of the key
  Json value;
  Place at(const std::string &file) const { return {file, line, column}; }
};

struct JsonObject {
  std::vector<JsonMember> members;
  std::vector<uint32_t> sorted; // positions in `members`, by key
};

/// Parses `text`, the contents of `file` (the name is for messages only). Refused, with the place: broken UTF-8, a byte order mark, NUL bytes, keys
/// with lone surrogates, NaN and Infinity as words, numbers beyond double, a key twice (also through escapes), more than 64 levels, more than 16
/// million values.
std::optional<Json> parseJson(std::string_view text, const std::string &file, Diagnostics &diagnostics);

} // namespace heddle
