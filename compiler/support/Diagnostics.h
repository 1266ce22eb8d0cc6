// What the user is told: records, collected where they arise and printed in one place. Comes before everything else; tools print at the end.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle {

/// A place in a file of the user. Line and column count from 1, columns in code points; 0 means the whole file (or line).
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
};

enum class Severity { Error, Note };

struct Diagnostic {
  Severity severity;
  Place place;
  std::string message;           // lower-case start, no full stop, both values
  std::vector<Diagnostic> notes; // the remedy, the calls on the way
  /// Adds a note at `at` and returns this record, so that notes chain.
  Diagnostic &note(Place at, std::string text);
  /// Adds a note at the record's own place.
  Diagnostic &note(std::string text);
};

/// The records of one run. Records at the same place with the same message are kept once; errors beyond the first thousand are only counted. The
/// reference that error() and note() return holds until the next call.
class Diagnostics {
public:
  Diagnostic &error(Place place, std::string message);
  /// An error of the command line, which has no place (exit 2).
  Diagnostic &misuse(std::string message);
  bool isMisuse() const { return misused; }
  /// A remark that does not stop the run (exit 0).
  Diagnostic &note(Place place, std::string message);
  bool hasErrors() const { return errors > 0; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &records() const { return all; }
  /// Source texts, for the line and the caret below a message: `text` must outlive the printing.
  void addSource(std::string file, std::string_view text);
  /// The same for a text that nobody else keeps.
  void keepSource(std::string file, std::string text);
  /// The first 20 errors, then how many more; `file:line:column: error: message`, the line, a caret, the notes. Control characters are escaped; 64
  /// KiB at most.
  std::string render(bool colour = false, bool withoutNotes = false) const;
  /// All that are kept, an object a line: severity, file, line, column (of those that are known), message, and notes of the same form.
  std::string renderJson(bool withoutNotes = false) const;
  void print(std::FILE *to) const;

private:
  Diagnostic &add(Severity severity, Place place, std::string message);

  std::vector<Diagnostic> all;
  Diagnostic unkept{}; // takes the notes of a record that is not kept
  std::unordered_set<std::string> seen;
  std::vector<std::pair<std::string, std::string_view>> sources;
  std::vector<std::shared_ptr<const std::string>> kept;
  unsigned errors = 0;
  bool misused = false;
};

/// `text` with control characters, marks that change the direction of writing and broken UTF-8 written as escapes, cut at `limit` bytes.
std::string escapeForTerminal(std::string_view text, size_t limit = 2000);

/// The candidate nearest to `name` by edit distance, empty if none is near enough to suggest.
std::string nearestName(std::string_view name, const std::vector<std::string> &candidates);

} // namespace heddle
