// Which ops of a block become vectors. Each op alone may (TileOps); what remains to decide is truth values: a tensor of i1 has no vector layout in
// memory, so one that would have to be read or written there is left to scalar loops, and with it who reads it.
#include "compiler/loops/BlockTiles.h"

using namespace mlir;
using namespace heddle;

static bool isTruth(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(1);
}

BlockTiles::BlockTiles(Block &block) {
  for (Operation &op : block)
    if (std::optional<TileKind> kind = tileKind(&op))
      kinds[&op] = *kind;
  dropTruthInMemory();
  separateTruthInMemory();
}

SmallVector<linalg::LinalgOp> BlockTiles::ops() const {
  SmallVector<linalg::LinalgOp> result;
  for (auto &[op, kind] : kinds)
    result.push_back(cast<linalg::LinalgOp>(op));
  return result;
}

std::optional<TileKind> BlockTiles::kindOf(Operation *op) const {
  auto found = kinds.find(op);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

bool BlockTiles::isInRegisters(OpOperand &use) const {
  std::optional<TileKind> user = kindOf(use.getOwner()), maker = kindOf(use.get());
  if (!user)
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!generic || generic.getMatchingBlockArgument(&use).use_empty()) // fully overwritten
    return true;
  if (!maker || *maker == TileKind::Fill)
    return maker.has_value();
  if ((*maker == TileKind::Values) != (*user == TileKind::Values)) // a value per row, but here of vectors and there of scalars
    return false;
  if (*maker == TileKind::Transposed || *user == TileKind::Transposed)
    return false;
  if (*maker == TileKind::RowReduction && isTall(use.get().getDefiningOp()))
    return false;
  return isInPlace(use, *user);
}

bool BlockTiles::isWrittenAsVectors(Operation *op) const {
  TileKind kind = *kindOf(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool isFewScalars = type.getRank() == 1 && !type.isDynamicDim(0) && type.getDimSize(0) <= fewRows;
  return kind != TileKind::Scalars && kind != TileKind::RowReduction && !isFewScalars;
}

bool BlockTiles::readsTruthFromMemory(Operation *op) const {
  std::optional<unsigned> column = loopRoles(*kindOf(op)).column;
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return isTruth(operand.get()) && column && cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&operand).isFunctionOfDim(*column) &&
           !isInRegisters(operand);
  });
}

void BlockTiles::dropTruthInMemory() {
  size_t before;
  do {
    before = kinds.size();
    kinds.remove_if([&](auto &entry) { return readsTruthFromMemory(entry.first); });
  } while (kinds.size() != before);
}

/// A result of truth values that is also needed in memory is made twice: as vectors for those who take it so, by scalar loops for the others.
void BlockTiles::separateTruthInMemory() {
  SmallVector<Operation *> makers;
  for (auto &[op, kind] : kinds)
    if (isTruth(op->getResult(0)) && isWrittenAsVectors(op))
      makers.push_back(op);
  for (Operation *op : llvm::reverse(makers)) {
    SmallVector<OpOperand *> inMemory;
    bool inRegisters = false;
    for (OpOperand &use : op->getResult(0).getUses()) {
      if (isInRegisters(use))
        inRegisters = true;
      else
        inMemory.push_back(&use);
    }
    if (inMemory.empty())
      continue;
    if (!inRegisters) {
      kinds.erase(op);
      continue;
    }
    Operation *copy = OpBuilder(op).clone(*op);
    for (OpOperand *use : inMemory)
      use->set(copy->getResult(0));
  }
}
