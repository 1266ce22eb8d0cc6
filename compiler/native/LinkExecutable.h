// Objects -> one relocatable file or one executable, with lld in this process. Comes after EmitObject and EmitTable; AppendSection follows.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace heddle {

/// An input of the linker: the bytes of an object, and a short name that messages show.
struct LinkInput {
  std::string name; // "v3.o"
  std::string bytes;
};

/// One relocatable object of all inputs (`ld -r`).
llvm::Expected<std::string> linkRelocatable(llvm::ArrayRef<LinkInput> inputs);

/// A position-independent executable of the inputs, the runtime's archive and the system's C library. It keeps one spare program header for
/// AppendSection.
llvm::Expected<std::string> linkExecutable(llvm::ArrayRef<LinkInput> inputs, llvm::StringRef runtimeArchive);

} // namespace heddle
