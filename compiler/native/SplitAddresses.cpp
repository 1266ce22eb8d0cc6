// Keeps LLVM from writing the address of a view out again for every load of an innermost loop. Comes after views have become address arithmetic.
#include "compiler/native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SPLITADDRESSES
#include "compiler/native/Passes.h.inc"

namespace {

struct SplitAddresses : impl::SplitAddressesBase<SplitAddresses> {
  using SplitAddressesBase::SplitAddressesBase;

  void runOnOperation() override {
    getOperation().walk([&](memref::ReinterpretCastOp view) {
      for (OpOperand &offset : view.getOffsetsMutable()) {
        OpBuilder b(view);
        offset.set(copy(b, view.getLoc(), offset.get()));
        ++split;
      }
    });
  }

  /// A copy through a register of which nothing is known: an assembly of no instructions.
  Value copy(OpBuilder &b, Location loc, Value index) {
    Type word = b.getI64Type();
    Value in = arith::IndexCastOp::create(b, loc, word, index);
    auto dialect = LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT);
    auto assembly =
        LLVM::InlineAsmOp::create(b, loc, word, ValueRange{in}, /*asm_string=*/"", /*constraints=*/"=r,0", /*has_side_effects=*/false,
                                  /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None, dialect, /*operand_attrs=*/ArrayAttr());
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), assembly.getResult(0));
  }
};

} // namespace
} // namespace heddle
