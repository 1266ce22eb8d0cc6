// Static buffers go on the stack. Comes after parallel regions are functions, so that a tile belongs to the task that fills it.
#include "compiler/memory/Passes.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_MAPSTACK
#include "compiler/memory/Passes.h.inc"

namespace {

/// The blocks whose buffers hold one stack place, one after the other.
struct Place {
  memref::AllocaOp buffer;
  SmallVector<Block *> users;
  bool shareable = true;
};

/// Neither block runs inside the other.
bool areDisjoint(Block *left, Block *right) {
  return !left->findAncestorOpInBlock(*right->getParentOp()) && !right->findAncestorOpInBlock(*left->getParentOp()) && left != right;
}

/// The buffer, or a view of it, leaves its block: what it holds may be read when the block is over.
bool escapes(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return escapes(view.getViewDest());
    return user->hasTrait<OpTrait::IsTerminator>() || isa<LoopLikeOpInterface, arith::SelectOp>(user);
  });
}

struct MapStack : impl::MapStackBase<MapStack> {
  using MapStackBase::MapStackBase;

  void runOnOperation() override {
    if (getOperation().isExternal() || getOperation()->hasAttr(entryAttrName))
      return;
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp alloc) {
      if (alloc.getType().hasStaticShape() && alloc.getType().getLayout().isIdentity())
        allocs.push_back(alloc);
    });
    SmallVector<Place> places;
    for (memref::AllocOp alloc : allocs) {
      alloc.replaceAllUsesWith(findPlace(places, alloc).buffer.getResult());
      alloc.erase();
      ++mapped;
    }
  }

  Place &findPlace(SmallVectorImpl<Place> &places, memref::AllocOp alloc) {
    bool shareable = alloc->getParentRegion()->hasOneBlock() && !escapes(alloc);
    for (Place &place : places) {
      auto disjoint = [&](Block *user) { return areDisjoint(user, alloc->getBlock()); };
      if (shareable && place.shareable && place.buffer.getType() == alloc.getType() && llvm::all_of(place.users, disjoint)) {
        place.users.push_back(alloc->getBlock());
        return place;
      }
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&getOperation().getBody().front());
    auto buffer = memref::AllocaOp::create(builder, alloc.getLoc(), alloc.getType(), ValueRange(), builder.getI64IntegerAttr(bufferAlignment));
    return places.emplace_back(Place{buffer, {alloc->getBlock()}, shareable});
  }
};

} // namespace
} // namespace heddle
