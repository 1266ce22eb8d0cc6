// How LLVM is set up for our objects. EmitObject and EmitTable use it.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace heddle {

/// Makes the x86-64 back end known to LLVM. Safe to call any number of times, from any thread.
void initializeBackend();

/// The machine that generates position-independent code for `cpu` (a name LLVM knows, such as x86-64-v3) without contracting mul and add;
/// `optimized`: at some expense.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(llvm::StringRef cpu, bool optimized = true);

/// Gives a module the machine's triple, data layout and relocation model: needed before any optimisation looks at it.
void adoptMachine(llvm::Module &module, const llvm::TargetMachine &machine);

/// Runs the code generator; `assembly`: text instead of an ELF object.
llvm::Expected<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine, bool assembly);

} // namespace heddle
