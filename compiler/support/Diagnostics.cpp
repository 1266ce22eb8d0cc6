// Collects and prints what the user is told. See Diagnostics.h.
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Utf8.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle {

namespace {
constexpr size_t keptErrors = 1000;     // records whose text is kept
constexpr size_t shownErrors = 20;      // records that are printed
constexpr size_t shownNotes = 20;       // notes of one record that are printed
constexpr size_t outputLimit = 1 << 16; // bytes of one printing

struct Palette {
  const char *place, *error, *note, *caret, *end;
};
constexpr Palette plain = {"", "", "", "", ""};
constexpr Palette coloured = {"\033[1m", "\033[1;31m", "\033[1;36m", "\033[1;32m", "\033[0m"};

/// Prints records into one string; remembers which place it showed last, so that notes at the same place do not repeat the line.
class Renderer {
public:
  Renderer(const std::vector<std::pair<std::string, std::string_view>> &sources, const Palette &colours) : sources(sources), colours(colours) {}

  void record(const Diagnostic &record, const Diagnostic *above = nullptr) {
    if (!record.place.file.empty())
      fmt::format_to(out(), "{}{}{} ", colours.place, placeText(record.place), colours.end);
    bool isError = record.severity == Severity::Error;
    fmt::format_to(out(), "{}{}:{} {}\n", isError ? colours.error : colours.note, isError ? "error" : "note", colours.end,
                   escapeForTerminal(record.message));
    if (!above || !samePlace(record.place, above->place))
      excerpt(record.place);
    size_t shown = std::min(record.notes.size(), shownNotes);
    for (size_t i = 0; i < shown; ++i)
      this->record(record.notes[i], i ? &record.notes[i - 1] : &record);
    if (shown < record.notes.size())
      fmt::format_to(out(), "note: and {} more notes\n", record.notes.size() - shown);
  }

  /// Keeps the output whole lines and within the limit, with `last` at its end.
  std::string take(const std::string &last) {
    static constexpr std::string_view cut = "note: the rest of the messages is left out (64 KiB)\n";
    if (text.size() + last.size() > outputLimit) {
      size_t end = text.rfind('\n', outputLimit - cut.size() - last.size() - 1);
      text.resize(end == std::string::npos ? 0 : end + 1);
      text += cut;
    }
    return std::move(text) + last;
  }

  bool full() const { return text.size() > outputLimit; }

private:
  static std::string placeText(const Place &place) {
    std::string text = escapeForTerminal(place.file, 1000);
    if (place.line)
      text += fmt::format(":{}", place.line);
    if (place.line && place.column)
      text += fmt::format(":{}", place.column);
    return text + ":";
  }

  static bool samePlace(const Place &a, const Place &b) { return a.file == b.file && a.line == b.line && a.column == b.column; }

  std::string_view lineOf(const Place &place) const {
    auto source = std::find_if(sources.begin(), sources.end(), [&](auto &entry) { return entry.first == place.file; });
    if (source == sources.end() || !place.line)
      return {};
    std::string_view rest = source->second;
    for (unsigned line = 1; line < place.line; ++line) {
      size_t end = rest.find('\n');
      if (end == std::string_view::npos)
        return {};
      rest.remove_prefix(end + 1);
    }
    return rest.substr(0, rest.find('\n'));
  }

  /// The source line and a caret. A line that is too long is shown around the column.
  void excerpt(const Place &place) {
    std::string_view line = lineOf(place);
    if (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    if (line.empty() || !place.column)
      return;
    constexpr unsigned before = 80, after = 60;
    unsigned first = place.column > before + 20 ? place.column - before : 1;
    std::string shown = first > 1 ? "..." : "", blanks(shown.size(), ' ');
    unsigned column = 1;
    for (; !line.empty() && column < place.column + after; ++column) {
      CodePoint next = decodeUtf8(line);
      std::string piece = next.value == '\t' ? " " : escapeForTerminal(line.substr(0, next.bytes));
      bool escaped = piece.size() > next.bytes;
      if (column >= first)
        shown += piece;
      if (column >= first && column < place.column)
        blanks.append(escaped ? piece.size() : displayWidth(next.value), ' ');
      line.remove_prefix(next.bytes);
    }
    if (place.column > column) // a place behind the end of the line
      blanks.append(std::min(place.column - column, 1u), ' ');
    fmt::format_to(out(), "  {}{}\n  {}{}^{}\n", shown, line.empty() ? "" : "...", blanks, colours.caret, colours.end);
  }

  std::back_insert_iterator<std::string> out() { return std::back_inserter(text); }

  const std::vector<std::pair<std::string, std::string_view>> &sources;
  const Palette &colours;
  std::string text;
};
} // namespace

Diagnostic &Diagnostic::note(Place at, std::string text) {
  notes.push_back({Severity::Note, std::move(at), std::move(text), {}});
  return *this;
}

Diagnostic &Diagnostic::note(std::string text) { return note(place, std::move(text)); }

Diagnostic &Diagnostics::add(Severity severity, Place place, std::string message) {
  std::string key = fmt::format("{}\n{}:{}:{}\n{}", place.file, place.line, place.column, severity == Severity::Error, message);
  bool isNew = all.size() >= keptErrors || seen.insert(std::move(key)).second;
  if (isNew && severity == Severity::Error)
    ++errors;
  Diagnostic record{severity, std::move(place), std::move(message), {}};
  if (!isNew || all.size() >= keptErrors)
    return unkept = std::move(record);
  all.push_back(std::move(record));
  return all.back();
}

Diagnostic &Diagnostics::error(Place place, std::string message) { return add(Severity::Error, std::move(place), std::move(message)); }

Diagnostic &Diagnostics::misuse(std::string message) {
  misused = true;
  return error({}, std::move(message));
}

Diagnostic &Diagnostics::note(Place place, std::string message) { return add(Severity::Note, std::move(place), std::move(message)); }

void Diagnostics::addSource(std::string file, std::string_view text) { sources.emplace_back(std::move(file), text); }

void Diagnostics::keepSource(std::string file, std::string text) {
  kept.push_back(std::make_shared<const std::string>(std::move(text)));
  sources.emplace_back(std::move(file), *kept.back());
}

std::string Diagnostics::render(bool colour, bool withoutNotes) const {
  Renderer renderer(sources, colour ? coloured : plain);
  size_t shown = 0;
  for (const Diagnostic &record : all) {
    bool isError = record.severity == Severity::Error;
    if (renderer.full() || (isError && shown == shownErrors) || (!isError && withoutNotes))
      continue;
    shown += isError;
    renderer.record(record);
  }
  size_t more = errors - shown;
  return renderer.take(more ? fmt::format("error: and {} more error{}\n", more, more == 1 ? "" : "s") : "");
}

static nlohmann::ordered_json toJson(const Diagnostic &record) {
  nlohmann::ordered_json object{{"severity", record.severity == Severity::Error ? "error" : "note"}};
  if (!record.place.file.empty())
    object["file"] = record.place.file;
  if (record.place.line > 0)
    object["line"] = record.place.line;
  if (record.place.column > 0)
    object["column"] = record.place.column;
  object["message"] = record.message;
  for (const Diagnostic &note : record.notes)
    object["notes"].push_back(toJson(note));
  return object;
}

std::string Diagnostics::renderJson(bool withoutNotes) const {
  std::string text;
  for (const Diagnostic &record : all)
    if (record.severity == Severity::Error || !withoutNotes)
      text += toJson(record).dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return text;
}

void Diagnostics::print(std::FILE *to) const {
  std::string text = render();
  std::fwrite(text.data(), 1, text.size(), to);
}

std::string escapeForTerminal(std::string_view text, size_t limit) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= limit)
      return out + "...";
    CodePoint next = decodeUtf8(text);
    if (next.valid && !isHidden(next.value))
      out.append(text.substr(0, next.bytes));
    else if (!next.valid)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(next.value));
    else if (next.value == '\n')
      out += "\\n";
    else if (next.value == '\t')
      out += "\\t";
    else
      out += fmt::format("\\u{{{:x}}}", static_cast<unsigned>(next.value));
    text.remove_prefix(next.bytes);
  }
  return out;
}

namespace {
/// Edit distance of a and b (insert, remove, change, swap of neighbours), or `bound` + 1 if it is greater. Only cells within `bound` of the diagonal
/// count.
size_t editDistance(std::string_view a, std::string_view b, size_t bound) {
  size_t none = bound + 1;
  std::vector<size_t> last(b.size() + 1, none), previous(b.size() + 1), current(b.size() + 1, none);
  for (size_t j = 0; j <= b.size(); ++j)
    previous[j] = std::min(j, none);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t from = i > bound ? i - bound : 1, to = std::min(b.size(), i + bound);
    std::fill(current.begin(), current.end(), none);
    current[0] = std::min(i, none);
    for (size_t j = from; j <= to; ++j) {
      size_t best = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, last[j - 2] + 1);
      current[j] = std::min(best, none);
    }
    last.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}
} // namespace

std::string nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  constexpr size_t longest = 300, work = 20'000'000; // a hostile file has a million long names; a suggestion is worth no more than this
  if (name.empty() || name.size() > longest)
    return {};
  size_t bound = std::clamp<size_t>(name.size() / 3, 1, 8), spent = 0;
  const std::string *best = nullptr;
  for (const std::string &candidate : candidates) {
    size_t difference = std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (difference > bound || candidate == name)
      continue;
    spent += (name.size() + 1) * (candidate.size() + 1);
    if (spent > work)
      break;
    size_t distance = editDistance(name, candidate, bound);
    if (distance > bound)
      continue;
    best = &candidate;
    if (distance == 0)
      break;
    bound = distance - 1; // only a nearer one replaces it
  }
  return best ? *best : std::string();
}

} // namespace heddle
