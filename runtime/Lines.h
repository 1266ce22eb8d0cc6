// The inputs of a task: the words of the command line, else the lines of standard input.
#pragma once
#include "runtime/Array.h"
#include "runtime/Failure.h"
#include <string_view>

namespace heddle::runtime {

class Lines {
public:
  /// Reads `descriptor` to its end. The last line may lack its line feed; a carriage return before one is dropped.
  bool read(int descriptor, Failure &failure);
  bool take(const Array<const char *> &words, Failure &failure);

  int64_t size() const { return lines.size(); }
  std::string_view operator[](int64_t i) const { return lines[i]; }
  /// "line 3" or "input 3".
  const char *noun() const { return fromFile ? "line" : "input"; }

private:
  Array<char> text;
  Array<std::string_view> lines;
  bool fromFile = false;
};

} // namespace heddle::runtime
