// Where the files lie that the compiler needs beside itself.
#include "tools/heddle/Installation.h"
#include <filesystem>
#include <system_error>

heddle::Installation heddle::findInstallation() {
  std::error_code code;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
  std::filesystem::path prefix = program.parent_path().parent_path();
  return {prefix / "lib" / "libheddle-runtime.a", prefix / "share" / "heddle" / "texts"};
}
