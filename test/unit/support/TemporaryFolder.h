// A folder that lives as long as a test.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

namespace heddle {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = testing::TempDir() + "heddle-XXXXXX";
    path = ::mkdtemp(name.data()) ? name : throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string operator/(std::string_view name) const { return path + "/" + std::string(name); }
  std::string put(std::string_view name, std::string_view contents) const {
    std::ofstream(*this / name, std::ios::binary).write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return *this / name;
  }
  std::string get(std::string_view name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t count() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path), {})); }

  std::string path;
};

} // namespace heddle
