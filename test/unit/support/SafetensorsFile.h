// Builds weight files for tests, good and bad ones.
#pragma once
#include <cstring>
#include <string>
#include <vector>

namespace heddle {

/// A whole file of this header and these data bytes; `claimed` is the header's length as written, if it is to differ.
inline std::string safetensorsFile(std::string_view header, std::string_view data, int64_t claimed = -1) {
  uint64_t length = claimed < 0 ? header.size() : static_cast<uint64_t>(claimed);
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file.append(header).append(data);
}

inline std::string floatBytes(const std::vector<float> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

} // namespace heddle
