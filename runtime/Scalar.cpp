#include "runtime/Scalar.h"
#include "runtime/heddle_model.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

using namespace heddle::runtime;

bool heddle::runtime::parseScalar(const char *text, int64_t element, ScalarValue &value) {
  value = {};
  if (element == HEDDLE_BOOL) {
    bool isTrue = std::strcmp(text, "true") == 0;
    value.boolean = isTrue;
    return isTrue || std::strcmp(text, "false") == 0;
  }
  if (*text != '-' && (*text < '0' || *text > '9') && *text != '.')
    return false; // no blanks, no signs but minus; "inf" and "nan" come in files
  char *end = nullptr;
  errno = 0;
  if (element == HEDDLE_I32) {
    long whole = std::strtol(text, &end, 10);
    value.i32 = static_cast<int32_t>(whole);
    return !*end && end != text && !errno && whole >= INT32_MIN && whole <= INT32_MAX;
  }
  value.f32 = std::strtof(text, &end);
  return !*end && end != text && errno != ERANGE;
}
