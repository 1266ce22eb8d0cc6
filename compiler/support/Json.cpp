// JSON with places. nlohmann's parser does the grammar, escapes and numbers; it tells no places, so a cursor of our own walks the same text in step
// with it.
#include "compiler/support/Json.h"
#include "compiler/support/Utf8.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>

namespace heddle {

Json::Json(Json &&) noexcept = default;
Json &Json::operator=(Json &&) noexcept = default;
Json::~Json() = default;

const std::string *Json::string() const {
  auto *text = std::get_if<std::string>(&value);
  return text && findBrokenUtf8(*text) == std::string::npos ? text : nullptr;
}

std::optional<double> Json::number() const {
  if (auto *i = integer())
    return static_cast<double>(*i);
  if (auto *d = std::get_if<double>(&value))
    return *d;
  return std::nullopt;
}

const Json::Array &Json::elements() const {
  static const Array none;
  auto *array = std::get_if<Array>(&value);
  return array ? *array : none;
}

const std::vector<JsonMember> &Json::members() const {
  static const std::vector<JsonMember> none;
  auto *object = std::get_if<std::unique_ptr<JsonObject>>(&value);
  return object ? (*object)->members : none;
}

const Json *Json::find(std::string_view key) const {
  auto *object = std::get_if<std::unique_ptr<JsonObject>>(&value);
  if (!object)
    return nullptr;
  const auto &[members, sorted] = **object;
  auto at = std::lower_bound(sorted.begin(), sorted.end(), key, [&](uint32_t i, std::string_view key) { return members[i].key < key; });
  return at != sorted.end() && members[*at].key == key ? &members[*at].value : nullptr;
}

std::string Json::describe() const {
  switch (kind()) {
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return *boolean() ? "true" : "false";
  case Kind::Int:
    return fmt::format("{}", *integer());
  case Kind::Double: {
    std::string text = fmt::format("{}", *number());
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  case Kind::String:
    return '"' + escapeForTerminal(std::get<std::string>(value), 60) + '"' + (string() ? "" : " with a lone surrogate");
  case Kind::Array:
    return "a list";
  case Kind::Object:
    return "an object";
  }
  return {};
}

namespace {
constexpr size_t deepest = 64, mostValues = 16'000'000;

/// Walks over the tokens of a text and counts lines and columns (in code points).
class TokenCursor {
public:
  explicit TokenCursor(std::string_view text) : text(text) {}

  /// Moves to the first character of the next token and over the token; line and column are those of its first character.
  void next() {
    while (at < text.size() && std::string_view(" \t\r\n,:").find(text[at]) != std::string_view::npos)
      step();
    line = lineNow, column = columnNow;
    if (at == text.size())
      return;
    char first = text[at];
    step();
    if (first == '"') {
      while (at < text.size() && text[at] != '"') {
        if (text[at] == '\\')
          step();
        step();
      }
      step();
    } else if (std::string_view("{}[]").find(first) == std::string_view::npos) {
      while (at < text.size() && std::string_view(" \t\r\n,:{}[]\"").find(text[at]) == std::string_view::npos)
        step();
    }
  }

  /// Moves to a byte offset that is not before the cursor.
  void moveTo(size_t offset) {
    while (at < std::min(offset, text.size()))
      step();
    line = lineNow, column = columnNow;
  }

  unsigned line = 1, column = 1;
  size_t offset() const { return at; } // behind the token

private:
  void step() {
    if (at >= text.size())
      return;
    char c = text[at++];
    if (c == '\n')
      ++lineNow, columnNow = 1;
    else if (at == text.size() || (text[at] & 0xC0) != 0x80) // the last byte of a character
      ++columnNow;
  }

  std::string_view text;
  size_t at = 0;
  unsigned lineNow = 1, columnNow = 1;
};

/// Half a character, written as an escape: no text can hold it, so nlohmann refuses it. It is taken out of the way here; the values that had one are
/// no strings to those who ask for a string, and do no harm where nobody asks.
struct LoneSurrogates {
  std::string patched;         // the text with U+FFFD in their places, empty where there are none
  std::vector<size_t> offsets; // of the escapes, ascending
};

LoneSurrogates findLoneSurrogates(std::string_view text) {
  LoneSurrogates found;
  auto unit = [&](size_t at) { // the number of \uXXXX, or 0
    unsigned value = 0;
    bool isEscape = at + 6 <= text.size() && text[at] == '\\' && text[at + 1] == 'u' &&
                    std::from_chars(&text[at + 2], &text[at + 2] + 4, value, 16).ptr == &text[at + 2] + 4;
    return isEscape ? value : 0;
  };
  for (size_t at = 0; (at = text.find('\\', at)) != std::string_view::npos;) {
    unsigned first = unit(at), second = (first & 0xFC00) == 0xD800 ? unit(at + 6) : 0;
    if ((second & 0xFC00) == 0xDC00) {
      at += 12;
      continue;
    }
    if ((first & 0xF800) == 0xD800)
      found.offsets.push_back(at);
    at += first ? 6 : 2;
  }
  if (!found.offsets.empty())
    found.patched = text;
  for (size_t offset : found.offsets)
    found.patched.replace(offset + 2, 4, "FFFD");
  return found;
}
} // namespace

/// Receives nlohmann's events and builds the tree. Returning false ends the parse; the reason has been reported by then.
class JsonReader {
public:
  JsonReader(std::string_view text, const std::vector<size_t> &loneSurrogates, const std::string &file, Diagnostics &diagnostics)
      : text(text), loneSurrogates(loneSurrogates), file(file), diagnostics(diagnostics), cursor(text) {}

  Json root;

  bool null() { return put(std::monostate{}); }
  bool boolean(bool b) { return put(b); }
  bool number_integer(int64_t i) { return put(i); }
  bool number_unsigned(uint64_t u) { return u <= INT64_MAX ? put(static_cast<int64_t>(u)) : put(static_cast<double>(u)); }
  bool number_float(double d, const std::string &) { return put(d); }
  bool string(std::string &s) {
    if (!put(std::move(s)))
      return false;
    if (takeLoneSurrogates())
      std::get<std::string>(lastSlot->value) += "\xED\xA0\x80"; // no UTF-8: see Json::string
    return true;
  }
  bool binary(nlohmann::json::binary_t &) { return false; } // never comes from text

  bool start_array(size_t) { return open(Json::Array{}); }
  bool start_object(size_t) { return open(std::make_unique<JsonObject>()); }
  bool end_array() { return close(); }

  bool key(std::string &name) {
    cursor.next();
    if (takeLoneSurrogates()) {
      diagnostics.error({file, cursor.line, cursor.column}, "a key with a lone surrogate");
      return false;
    }
    auto &object = *std::get<std::unique_ptr<JsonObject>>(levels.back()->value);
    JsonMember &member = object.members.emplace_back();
    member.key = std::move(name);
    member.line = cursor.line, member.column = cursor.column;
    return true;
  }

  bool end_object() {
    auto &[members, sorted] = *std::get<std::unique_ptr<JsonObject>>(levels.back()->value);
    sorted.resize(members.size());
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::sort(sorted.begin(), sorted.end(), [&members = members](uint32_t a, uint32_t b) {
      int order = members[a].key.compare(members[b].key);
      return order ? order < 0 : a < b;
    });
    for (size_t i = 1; i < sorted.size(); ++i) {
      const JsonMember &first = members[sorted[i - 1]], &second = members[sorted[i]];
      if (first.key != second.key)
        continue;
      diagnostics.error(second.at(file), fmt::format("key '{}' stands twice", second.key)).note(first.at(file), "it stands here first");
      return false;
    }
    return close();
  }

  bool parse_error(size_t position, const std::string &, const nlohmann::json::exception &error) {
    cursor.moveTo(position ? position - 1 : 0);
    diagnostics.error({file, cursor.line, cursor.column}, fmt::format("not valid JSON: {}", reason(error.what())));
    return false;
  }

private:
  /// What nlohmann says, without its own numbering and place: "invalid literal; last read: 'N'".
  static std::string reason(std::string text) {
    for (std::string_view before : {"] ", ": ", " - "})
      if (size_t at = text.find(before); at != std::string::npos && (before != " - " || text.find("unexpected") == std::string::npos))
        text.erase(0, at + before.size());
    return text;
  }

  /// Whether the token that the cursor has just passed had any.
  bool takeLoneSurrogates() {
    size_t before = nextSurrogate;
    while (nextSurrogate < loneSurrogates.size() && loneSurrogates[nextSurrogate] < cursor.offset())
      ++nextSurrogate;
    return nextSurrogate > before;
  }

  template <class T> bool put(T &&item) {
    cursor.next();
    Json *place = slot();
    if (!place)
      return false;
    place->value = std::forward<T>(item);
    return true;
  }

  template <class T> bool open(T &&container) {
    if (!put(std::forward<T>(container)))
      return false;
    levels.push_back(lastSlot);
    if (levels.size() <= deepest)
      return true;
    diagnostics.error(lastSlot->at(file), fmt::format("nested deeper than {} levels", deepest));
    return false;
  }

  bool close() {
    cursor.next();
    levels.pop_back();
    return true;
  }

  /// The value that the next event fills.
  Json *slot() {
    if (++count > mostValues) {
      diagnostics.error({file, cursor.line, cursor.column}, fmt::format("more than {} values", mostValues));
      return nullptr;
    }
    if (levels.empty())
      lastSlot = &root;
    else if (auto *array = std::get_if<Json::Array>(&levels.back()->value))
      lastSlot = &array->emplace_back();
    else
      lastSlot = &std::get<std::unique_ptr<JsonObject>>(levels.back()->value)->members.back().value;
    lastSlot->line = cursor.line, lastSlot->column = cursor.column;
    return lastSlot;
  }

  std::string_view text;
  const std::vector<size_t> &loneSurrogates;
  size_t nextSurrogate = 0;
  const std::string &file;
  Diagnostics &diagnostics;
  TokenCursor cursor;
  std::vector<Json *> levels; // the open arrays and objects: their addresses hold, since only the innermost container grows
  Json *lastSlot = nullptr;
  size_t count = 0;
};

std::optional<Json> parseJson(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  auto refuse = [&](size_t offset, std::string message) {
    TokenCursor cursor(text);
    cursor.moveTo(offset);
    diagnostics.error({file, cursor.line, cursor.column}, std::move(message));
    return std::nullopt;
  };
  if (text.starts_with("\xEF\xBB\xBF"))
    return refuse(0, "not valid JSON: it begins with a byte order mark");
  if (size_t zero = text.find('\0'); zero != std::string_view::npos) // nlohmann takes it for the end
    return refuse(zero, "not valid JSON: a NUL byte");
  if (size_t broken = findBrokenUtf8(text); broken != std::string_view::npos)
    return refuse(broken, "not valid UTF-8");
  LoneSurrogates surrogates = findLoneSurrogates(text);
  if (!surrogates.patched.empty())
    text = surrogates.patched;
  JsonReader reader(text, surrogates.offsets, file, diagnostics);
  bool fine = false;
  try {
    fine = nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  } catch (const std::exception &error) { // out of memory; exceptions end in this file
    return refuse(0, fmt::format("cannot be read: {}", error.what()));
  }
  if (!fine)
    return std::nullopt;
  return std::move(reader.root);
}

} // namespace heddle
