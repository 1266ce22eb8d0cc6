// What the loops stage promises to the memory stage. Comes last in the stage.
#include "compiler/loops/Passes.h"
#include "compiler/loops/RowChain.h"
#include "compiler/loops/TileOps.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_VERIFYLOOPS
#include "compiler/loops/Passes.h.inc"

namespace {

/// 128 bytes of f32: two registers of AVX-512, four of AVX2. LLVM splits wider vectors, and spills.
constexpr int64_t mostLanes = 32;

struct VerifyLoops : impl::VerifyLoopsBase<VerifyLoops> {
  using VerifyLoopsBase::VerifyLoopsBase;

  void runOnOperation() override {
    bool good = true;
    getOperation().walk([&](Operation *op) {
      good &= succeeded(checkFlags(op)) && succeeded(checkVectors(op)) && succeeded(checkLeftOver(op));
      ++checked;
    });
    if (!good)
      signalPassFailure();
  }

  LogicalResult checkFlags(Operation *op) {
    auto math = dyn_cast<arith::ArithFastMathInterface>(op);
    if (math && math.getFastMathFlagsAttr() && math.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
      return op->emitOpError("has fast-math flags, which the arithmetic contract excludes");
    return success();
  }

  LogicalResult checkVectors(Operation *op) {
    if (isa<vector::ReductionOp, vector::MultiDimReductionOp, vector::ContractionOp, vector::OuterProductOp>(op))
      return op->emitOpError("leaves the order of its additions to the target; expected lanes and a written-out tree");
    if (isa<vector::FMAOp>(op))
      return op->emitOpError("rounds twice on some targets; expected math.fma");
    auto isTooWide = [](Type type) {
      auto vector = dyn_cast<VectorType>(type);
      return vector && (vector.getRank() != 1 || vector.isScalable() || vector.getNumElements() > mostLanes);
    };
    for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
      if (isTooWide(type))
        return op->emitOpError("has a value of type ") << type << "; expected vectors of one dimension and at most " << mostLanes << " lanes";
    return success();
  }

  /// Products and tiles that scalar loops would compute in another order, or slowly.
  LogicalResult checkLeftOver(Operation *op) {
    if (isMatrixProduct(op)) {
      int64_t depth = cast<linalg::GenericOp>(op).getStaticLoopRanges()[2];
      if (ShapedType::isDynamic(depth) || depth > productBlock)
        return op->emitOpError("is a product left to scalar loops, over more than a block of ") << productBlock << " k";
    }
    if (!tileKind(op) || touchesTruth(op))
      return success();
    return op->emitOpError("is a static tile left to scalar loops; expected vectors");
  }

  /// Truth values in memory keep an op from becoming vectors.
  static bool touchesTruth(Operation *op) {
    return llvm::any_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isInteger(1); });
  }
};

} // namespace
} // namespace heddle
