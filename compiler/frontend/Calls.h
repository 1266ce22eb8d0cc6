// Which functions the body of a function calls, found in the tree without expanding it.
#pragma once
#include "compiler/frontend/Syntax.h"
#include <set>

namespace heddle::syntax {

std::set<std::string> calledFunctions(const Function &function);

} // namespace heddle::syntax
