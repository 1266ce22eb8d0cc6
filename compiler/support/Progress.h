// What a long work is at, for those who wait.
#pragma once
#include <cstdint>
#include <string_view>

namespace heddle {

class Progress {
public:
  virtual ~Progress() = default;
  /// The next part of the work begins: "linalg for x86-64-v3", "weights".
  virtual void begin(std::string_view part) = 0;
  /// Of the bytes of this part, so many are done.
  virtual void advance(uint64_t done, uint64_t all) = 0;
};

} // namespace heddle
