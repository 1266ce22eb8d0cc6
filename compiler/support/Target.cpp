// The table of CPU variants.
#include "compiler/support/Target.h"

using namespace heddle;

static constexpr Target targets[] = {
    {"x86-64-v3", ".v3", 3, 6, 16, false, 2},
    {"x86-64-v4", ".v4", 4, 8, 32, true, 4},
};

llvm::ArrayRef<Target> heddle::allTargets() { return targets; }

const Target *heddle::findTarget(llvm::StringRef cpu) {
  for (const Target &target : targets)
    if (target.cpu == cpu)
      return &target;
  return nullptr;
}
