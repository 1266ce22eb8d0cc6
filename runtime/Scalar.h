// Values of scalar arguments written on the command line: --in hide_future=false.
#pragma once
#include <cstdint>

namespace heddle::runtime {

/// The bytes of one value, as the entry reads them.
union ScalarValue {
  float f32;
  int32_t i32;
  char boolean;
};

/// Whether `text` is a value of that element type: true, false; a whole number; a number.
bool parseScalar(const char *text, int64_t element, ScalarValue &value);

} // namespace heddle::runtime
