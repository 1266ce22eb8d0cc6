// One module of the LLVM dialect and one CPU -> the object of that CPU variant.
#include "compiler/native/EmitObject.h"
#include "compiler/native/TargetMachine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

void heddle::registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

namespace {

/// Linkage, names and attributes of every definition. Declarations keep their names: they are the runtime's and the C library's.
Error prepareFunctions(Module &module, const heddle::ObjectOptions &options) {
  for (Function &function : module) {
    if (function.isDeclaration()) {
      if (options.exported.contains(function.getName()))
        return createStringError("internal error: '" + function.getName() + "' is named by the table and has no body");
      continue;
    }
    function.addFnAttr("target-cpu", options.cpu);    // the optimiser's cost model reads it, not only the TargetMachine
    function.addFnAttr("prefer-vector-width", "512"); // else 512-bit vectors of v4 may be split in two
    function.addFnAttr("min-legal-vector-width", "512");
    function.addFnAttr(Attribute::NoUnwind);
    if (options.exported.contains(function.getName())) {
      function.setLinkage(GlobalValue::ExternalLinkage);
      function.setVisibility(GlobalValue::HiddenVisibility);
    } else {
      function.setLinkage(GlobalValue::InternalLinkage); // MLIR's private is not LLVM's internal
    }
    function.setName(function.getName() + options.suffix);
  }
  for (GlobalVariable &global : module.globals())
    if (!global.isDeclaration())
      global.setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

Error checkExported(const Module &module, const heddle::ObjectOptions &options) {
  for (const auto &name : options.exported)
    if (!module.getFunction(name.getKey()))
      return createStringError("internal error: '" + name.getKey() + "' is named by the table and is not in the module");
  return Error::success();
}

void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false; // vectors are ours: they decide bits
  PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

} // namespace

Expected<std::string> heddle::emitObject(mlir::ModuleOp module, const ObjectOptions &options) {
  LLVMContext context;
  std::unique_ptr<Module> translated = mlir::translateModuleToLLVMIR(module, context, "heddle" + options.suffix);
  if (!translated)
    return createStringError("internal error: the module cannot be translated to LLVM IR");
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine(options.cpu, options.optimized);
  if (!machine)
    return machine.takeError();
  translated->setSourceFileName("heddle" + options.suffix);
  adoptMachine(*translated, **machine);
  if (Error error = checkExported(*translated, options))
    return error;
  if (Error error = prepareFunctions(*translated, options))
    return error;
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(*translated, &stream))
    return createStringError("internal error: the LLVM IR is not valid: " + problem);
  if (options.optimized)
    optimize(*translated, **machine);
  return generateCode(*translated, **machine, options.assembly);
}
