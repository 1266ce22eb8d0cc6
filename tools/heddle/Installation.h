// Where the files lie that the compiler needs beside itself: the same places relative to the program in a build and in an installation.
#pragma once
#include <string>

namespace heddle {

struct Installation {
  std::string runtimeArchive; // <prefix>/lib/libheddle-runtime.a
  std::string texts;          // <prefix>/share/heddle/texts: the built-in model texts
};

/// Of the running program: <prefix>/bin/heddle.
Installation findInstallation();

} // namespace heddle
