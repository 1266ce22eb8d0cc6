// An executable + bytes -> the executable with one more section. Comes after LinkExecutable and is the last step of a build.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace heddle {

/// Takes the next bytes of the file.
using WriteBytes = llvm::function_ref<llvm::Error(llvm::StringRef)>;

/// The section's own bytes, in as many pieces as the caller likes; exactly `size` in all.
using FillSection = llvm::function_ref<llvm::Error(WriteBytes)>;

/// The type of the program header that covers the section: no loader knows it, and llvm-strip keeps what a segment covers.
constexpr uint32_t sectionSegmentType = 0x6865646c;

/// Writes `executable` (an ELF file of linkExecutable) with a page-aligned, non-allocated section `name` of `size` bytes, front to back.
/// Only the executable itself is held in memory, so the section may have any size.
llvm::Error appendSection(llvm::StringRef executable, llvm::StringRef name, uint64_t size, FillSection fill, WriteBytes write);

} // namespace heddle
