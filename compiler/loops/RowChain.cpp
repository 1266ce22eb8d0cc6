// How a chain of linalg ops is cut into tiles. Upstream's tile-and-fuse cannot let the last tile overlap, and fuses a producer once for each use,
// which grows without bound where an epilogue uses its values several times (gelu written out); here each op of the chain is cut exactly once per
// tile.
#include "compiler/loops/RowChain.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace heddle;

bool heddle::isMatrixProduct(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInits() != 1 || generic.getNumLoops() != 3)
    return false;
  auto kinds = generic.getIteratorTypesArray();
  if (kinds[0] != utils::IteratorType::parallel || kinds[1] != utils::IteratorType::parallel || kinds[2] != utils::IteratorType::reduction)
    return false;
  return !generic.getBody()->getOps<math::FmaOp>().empty();
}

/// An op that a chain may contain: a generic or a fill on tensors, with one result and maps of plain dimensions.
static bool isChainOp(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!linalgOp || !isa<linalg::GenericOp, linalg::FillOp>(op) || !linalgOp.hasPureTensorSemantics() || op->getNumResults() != 1)
    return false;
  return llvm::all_of(linalgOp.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(/*allowZeroInResults=*/true); });
}

static bool isDimension(AffineExpr expr) { return isa<AffineDimExpr>(expr); }

std::optional<RowChain> RowChain::endingIn(linalg::GenericOp last) {
  if (!isChainOp(last) || cast<RankedTensorType>(last.getResult(0).getType()).getRank() != 2)
    return std::nullopt;
  AffineMap written = last.getIndexingMapsArray().back();
  if (last.getNumParallelLoops() != 2 || written.getDimPosition(0) != 0 || written.getDimPosition(1) != 1)
    return std::nullopt;
  RowChain chain;
  chain.last = last;
  chain.destination = last.getDpsInits()[0];
  if (isMatrixProduct(last)) { // starts from a fill of the destination
    auto fill = chain.destination.getDefiningOp<linalg::FillOp>();
    if (!fill)
      return std::nullopt;
    chain.destination = fill.getDpsInits()[0];
  } else if (last.getNumLoops() != 2 || !last.getRegionOutputArgs()[0].use_empty()) {
    return std::nullopt; // overlapping tiles would read what an earlier one wrote
  }
  chain.collect();
  return chain;
}

/// Roles of the loops of the op that makes `use`, or none if it is no chain op of the same block or is used whole.
std::optional<RowChain::Roles> RowChain::rolesOfProducer(OpOperand &use, const Roles &userRoles) const {
  Operation *producer = use.get().getDefiningOp();
  if (!isChainOp(producer) || producer->getBlock() != last->getBlock())
    return std::nullopt;
  auto op = cast<linalg::LinalgOp>(producer);
  AffineMap read = cast<linalg::LinalgOp>(use.getOwner()).getMatchingIndexingMap(&use);
  AffineMap written = op.getIndexingMapMatchingResult(op->getResult(0));
  Roles result(op.getNumLoops(), Role::Whole);
  bool used = false;
  for (auto [from, to] : llvm::zip_equal(read.getResults(), written.getResults())) {
    if (!isDimension(from) || !isDimension(to))
      continue;
    Role role = userRoles[cast<AffineDimExpr>(from).getPosition()];
    role = role == Role::Inner ? Role::Whole : role; // a product in parts takes nothing from the chain
    result[cast<AffineDimExpr>(to).getPosition()] = role;
    used |= role == Role::Row;
  }
  if (isMatrixProduct(producer))
    result[2] = Role::Inner;
  return used ? std::optional(result) : std::nullopt;
}

/// Walks the block backwards from the last op. A producer that is needed in two different ways cannot be cut and stays outside.
void RowChain::collect() {
  roles[last] = {Role::Row, Role::Column};
  roles[last].resize(last.getNumLoops(), Role::Inner);
  llvm::SmallPtrSet<Operation *, 4> outside;
  for (Operation *op = last; op; op = op->getPrevNode()) {
    if (outside.contains(op) || !roles.contains(op))
      continue;
    ops.push_back(cast<linalg::LinalgOp>(op));
    Roles mine = roles[op];
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      std::optional<Roles> wanted = isa<RankedTensorType>(operand.get().getType()) ? rolesOfProducer(operand, mine) : std::nullopt;
      if (!wanted) {
        if (producer)
          outside.insert(producer);
      } else if (auto [at, isNew] = roles.try_emplace(producer, *wanted); !isNew && at->second != *wanted) {
        outside.insert(producer);
      }
    }
  }
  std::reverse(ops.begin(), ops.end());
}

bool RowChain::hasProduct() const {
  return llvm::any_of(ops, [](linalg::LinalgOp op) { return isMatrixProduct(op); });
}

linalg::GenericOp RowChain::onlyProduct() const {
  linalg::GenericOp found;
  for (linalg::LinalgOp op : ops)
    if (isMatrixProduct(op)) {
      if (found)
        return {};
      found = cast<linalg::GenericOp>(op.getOperation());
    }
  auto isInChain = [&](Value v) { return v.getDefiningOp() && roles.contains(v.getDefiningOp()); };
  if (!found || llvm::any_of(found.getInputs(), isInChain) || !found.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return {};
  return found;
}

llvm::SetVector<Value> RowChain::getInputsInPlace() const {
  llvm::SetVector<Value> inputs;
  for (linalg::LinalgOp op : ops)
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      Operation *producer = operand->get().getDefiningOp();
      if (map.getNumResults() != 2 || (producer && (roles.contains(producer) || isa<tensor::EmptyOp>(producer))))
        continue;
      const Roles &loops = roles.find(op)->second;
      auto isRole = [&](unsigned i, Role role) { return isDimension(map.getResult(i)) && loops[map.getDimPosition(i)] == role; };
      if (isRole(0, Role::Row) && isRole(1, Role::Column))
        inputs.insert(operand->get());
    }
  return inputs;
}

/// Where a loop of that role begins in the tile.
OpFoldResult RowChain::startOf(RewriterBase &rewriter, Role role, const TileWindow &window) {
  switch (role) {
  case Role::Row:
    return window.row;
  case Role::Column:
    return rewriter.getIndexAttr(window.column);
  case Role::Inner:
    return window.inner ? window.inner->from : rewriter.getIndexAttr(0);
  case Role::Whole:
    return rewriter.getIndexAttr(0);
  }
  llvm_unreachable("all roles are handled");
}

Value RowChain::tileOperand(RewriterBase &rewriter, OpOperand &operand, const Roles &loops, const TileWindow &window, Value into,
                            const DenseMap<Value, Value> &tiled) const {
  Value source = operand.get();
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!type)
    return source; // a scalar
  if (Value tile = tiled.lookup(source))
    return tile;
  Location loc = operand.getOwner()->getLoc();
  SmallVector<OpFoldResult> offsets(type.getRank(), rewriter.getIndexAttr(0)), sizes = tensor::getMixedSizes(rewriter, loc, source);
  AffineMap map = cast<linalg::LinalgOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  bool isCut = false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    Role role = isDimension(expr) ? loops[cast<AffineDimExpr>(expr).getPosition()] : Role::Whole;
    if (role == Role::Whole || (role == Role::Inner && !window.inner))
      continue;
    offsets[i] = startOf(rewriter, role, window);
    sizes[i] = rewriter.getIndexAttr(role == Role::Row ? window.rows : role == Role::Column ? window.columns : window.inner->count);
    isCut = true;
  }
  if (source.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  bool isDestination = cast<DestinationStyleOpInterface>(operand.getOwner()).isDpsInit(&operand) && source == destination;
  if (!isCut)
    return source;
  SmallVector<OpFoldResult> strides(type.getRank(), rewriter.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(rewriter, loc, isDestination ? into : source, offsets, sizes, strides);
}

Value RowChain::tileOp(RewriterBase &rewriter, linalg::LinalgOp op, Value into, const TileWindow &window, const DenseMap<Value, Value> &tiled) const {
  const Roles &loops = roles.find(op)->second;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(tileOperand(rewriter, operand, loops, window, into, tiled));
  Type type = operands.back().getType(); // the initial value stands last
  auto tile = cast<linalg::LinalgOp>(mlir::clone(rewriter, op, type, operands));
  SmallVector<OpFoldResult> starts;
  for (Role role : loops)
    starts.push_back(startOf(rewriter, role, window));
  linalg::offsetIndices(rewriter, tile, starts);
  return tile->getResult(0);
}

Value RowChain::computeTile(RewriterBase &rewriter, Value into, const TileWindow &window, DenseMap<Value, Value> &tiled) const {
  for (linalg::LinalgOp op : ops)
    if (!tiled.contains(op->getResult(0)))
      tiled[op->getResult(0)] = tileOp(rewriter, op, into, window, tiled);
  OpFoldResult column = rewriter.getIndexAttr(window.column);
  SmallVector<OpFoldResult> offsets{window.row, column}, strides(2, rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{rewriter.getIndexAttr(window.rows), rewriter.getIndexAttr(window.columns)};
  return tensor::InsertSliceOp::create(rewriter, last->getLoc(), tiled[last->getResult(0)], into, offsets, sizes, strides);
}

Value RowChain::computeProduct(RewriterBase &rewriter, const TileWindow &window) const {
  linalg::GenericOp product = onlyProduct();
  Location loc = product.getLoc();
  auto fill = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  Value out = tensor::EmptyOp::create(rewriter, loc, {window.rows, window.columns}, getElementTypeOrSelf(product.getResult(0).getType()));
  Value init = linalg::FillOp::create(rewriter, loc, fill.value(), out).getResult(0);
  return tileOp(rewriter, product, {}, window, {{fill.getResult(0), init}});
}

void RowChain::eraseUnused(RewriterBase &rewriter) const {
  for (linalg::LinalgOp op : llvm::reverse(ops))
    if (op->use_empty())
      rewriter.eraseOp(op);
}
