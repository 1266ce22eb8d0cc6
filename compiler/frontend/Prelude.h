// The prelude, prelude.heddle of this folder, as it was when the compiler was built.
#pragma once
#include <string_view>

namespace heddle::frontend {

extern const std::string_view preludeText;

} // namespace heddle::frontend
