// The inputs of a task, a batch at a time: the words of the command line, else the lines of standard input as they come.
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include <string_view>

namespace heddle::runtime {

class Lines {
public:
  /// Those of a file or pipe that messages call `name`. The last line may lack its line feed; a carriage return before one is dropped.
  Lines(int descriptor, const char *name) : descriptor(descriptor), name(name) {}
  explicit Lines(const Array<const char *> &words) : words(&words) {}

  /// Takes the next lines, `most` at most and one at least where there are any; the last ones are forgotten. Whoever writes line by line and waits
  /// for an answer gets one: a batch ends where the next line is not there yet.
  bool next(int64_t most, Failure &failure);

  int64_t size() const { return lines.size(); }
  std::string_view operator[](int64_t i) const { return lines[i]; }
  /// The number of a line among all, from 1.
  int64_t number(int64_t i) const { return before + i + 1; }
  /// "line 3" or "input 3".
  const char *noun() const { return words ? "input" : "line"; }

private:
  bool take(std::string_view line, Failure &failure);
  bool fill(Failure &failure);
  bool isWaiting() const;

  const Array<const char *> *words = nullptr;
  int descriptor = -1;
  const char *name = "";
  Array<char> text;            // the lines of this batch, and what has been read beyond them
  int64_t begin = 0, used = 0; // of `text`: where the next line begins, where what has been read ends
  int64_t searched = 0;        // of `text`: no line feed lies between begin and here
  bool atEnd = false;
  Array<std::string_view> lines;
  int64_t before = 0; // lines of earlier batches
};

} // namespace heddle::runtime
