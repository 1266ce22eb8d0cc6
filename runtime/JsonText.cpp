#include "runtime/JsonText.h"
#include "runtime/Escape.h"
#include <cmath>

using namespace heddle::runtime;

void heddle::runtime::writeJson(std::string_view text, Output &out) {
  out.write("\"");
  while (!text.empty()) {
    CodePoint first = decodeFirst(text);
    size_t length = first.length ? static_cast<size_t>(first.length) : 1;
    if (first.length == 0)
      out.write("\xef\xbf\xbd");
    else if (first.value == '"' || first.value == '\\')
      out.print("\\%c", static_cast<char>(first.value));
    else if (first.value < 0x20 || first.value == 0x7f || escapeFirst(text).length != length)
      out.print(first.value < 0x10000 ? "\\u%04x" : "\\ufffd", static_cast<unsigned>(first.value));
    else
      out.write(text.substr(0, length));
    text.remove_prefix(length);
  }
  out.write("\"");
}

void heddle::runtime::writeNumber(float number, bool json, Output &out) {
  if (json && !std::isfinite(number))
    return out.write("null");
  out.print("%.9g", static_cast<double>(number));
}

void heddle::runtime::writeNumber(double number, bool json, Output &out) {
  if (json && !std::isfinite(number))
    return out.write("null");
  out.print("%.17g", number);
}
