// What the native stage promises to the code generator. Comes last in the stage.
#include "compiler/native/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VERIFYNATIVE
#include "compiler/native/Passes.h.inc"

namespace {

/// Functions that every executable has: the pool, the profile, and what the C library gives to loops that fill or copy.
bool isProvided(StringRef name) {
  static constexpr StringRef provided[] = {"heddle_parallel", "heddle_mark", "memset", "memcpy", "memmove"};
  return llvm::is_contained(provided, name);
}

/// Operations that the code generator turns into calls of libm, whose versions differ in their last bits.
bool isLibraryMathematics(Operation *op) {
  return isa<LLVM::ExpOp, LLVM::Exp2Op, LLVM::Exp10Op, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::SinOp, LLVM::CosOp, LLVM::TanOp, LLVM::SinhOp,
             LLVM::CoshOp, LLVM::TanhOp, LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op, LLVM::PowOp, LLVM::PowIOp, LLVM::LoadExpOp,
             LLVM::FRemOp>(op);
}

struct VerifyNative : impl::VerifyNativeBase<VerifyNative> {
  using VerifyNativeBase::VerifyNativeBase;

  void runOnOperation() override {
    bool good = true;
    getOperation().walk([&](Operation *op) {
      if (op == getOperation())
        return;
      good &= succeeded(check(op));
      ++checked;
    });
    if (!good)
      signalPassFailure();
  }

  LogicalResult check(Operation *op) {
    if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
      return op->emitOpError("is left after the conversion to the LLVM dialect");
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
      if (function.isExternal() && !isProvided(function.getName()))
        return function.emitOpError("has no body, and no executable provides it");
    if (isa<LLVM::FMulAddOp>(op))
      return op->emitOpError("lets the target choose how often it rounds; expected llvm.intr.fma");
    if (isLibraryMathematics(op))
      return op->emitOpError("would call the C library's mathematics, which no kernel may; expected it to be lowered to arithmetic");
    if (auto math = dyn_cast<LLVM::FastmathFlagsInterface>(op))
      if (auto flags = math.getFastmathAttr(); flags && flags.getValue() != LLVM::FastmathFlags::none)
        return op->emitOpError("has fast-math flags, which the arithmetic contract excludes");
    return success();
  }
};

} // namespace
} // namespace heddle
