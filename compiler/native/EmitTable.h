// What is known of a model beside its code -> an object with the constant `heddle_model` (runtime/heddle_model.h). LinkExecutable joins it with the
// code.
#pragma once
#include "compiler/support/ModelInfo.h"
#include "compiler/support/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace heddle {

/// The section of an executable that holds weights and tokenizers; the runtime looks for it by this name.
inline constexpr llvm::StringLiteral weightsSection = ".heddle_weights";

/// The symbol, without a variant's suffix, of an entry's C function (LinkEntries makes it).
std::string entrySymbol(llvm::StringRef entry);

/// The table's object. `targets`: the variants whose objects stand beside it, ascending. Offsets and sizes in the section must be final.
llvm::Expected<std::string> emitTable(const ModelInfo &info, llvm::ArrayRef<const Target *> targets, llvm::StringRef compilerVersion);

} // namespace heddle
