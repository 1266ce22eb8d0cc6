// The layout of model texts: one for all (`heddle fmt`). Comes after the parser, which says what each word is; meaning and comments stay.
#pragma once
#include "compiler/support/Diagnostics.h"
#include <optional>
#include <string>
#include <string_view>

namespace heddle::syntax {

/// Lines hold as many columns where they can be broken; comments and strings are not.
inline constexpr unsigned maxColumns = 120;

/// `text` in the layout of language.md, section 2. Nothing after an error, which stands in `diagnostics` under the name `file`.
std::optional<std::string> formatText(std::string_view text, const std::string &file, Diagnostics &diagnostics);

} // namespace heddle::syntax
