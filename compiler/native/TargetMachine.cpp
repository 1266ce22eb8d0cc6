// How LLVM is set up for our objects.
#include "compiler/native/TargetMachine.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace llvm;

void heddle::initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
}

Expected<std::unique_ptr<TargetMachine>> heddle::createMachine(StringRef cpu, bool optimized) {
  initializeBackend();
  Triple triple("x86_64-unknown-linux-gnu");
  std::string reason;
  const Target *target = TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return createStringError("this LLVM has no x86-64 back end: " + reason);
  std::unique_ptr<MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu)) // asked before the machine is made, which would print instead
    return createStringError("'" + cpu + "' is no x86-64 CPU that LLVM knows");
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict; // what is not an fma stays two roundings
  options.FunctionSections = true;              // --gc-sections then drops what was inlined everywhere
  auto level = optimized ? CodeGenOptLevel::Aggressive : CodeGenOptLevel::None;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(triple, cpu, "", options, Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return createStringError("LLVM cannot generate code for " + cpu);
  return machine;
}

void heddle::adoptMachine(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(PICLevel::BigPIC);
  module.setPIELevel(PIELevel::Large);
}

Expected<std::string> heddle::generateCode(Module &module, TargetMachine &machine, bool assembly) {
  SmallString<0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  auto kind = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    return createStringError("LLVM cannot write this kind of file for " + machine.getTargetCPU());
  passes.run(module);
  return std::string(bytes);
}
