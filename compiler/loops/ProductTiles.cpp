// Loops over register tiles, with blocks of k outside of them where a panel is large, and with the weights of the next tiles fetched ahead.
#include "compiler/loops/ProductTiles.h"
#include "compiler/loops/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// An upper bound of a size that is a minimum with a number.
static std::optional<int64_t> mostOf(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return known;
  auto least = cast<Value>(size).getDefiningOp<arith::MinSIOp>();
  if (!least)
    return std::nullopt;
  std::optional<int64_t> left = mostOf(least.getLhs()), right = mostOf(least.getRhs());
  return left && right ? std::min(left, right) : left ? left : right;
}

static std::optional<int64_t> mostRowsOf(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  return slice ? mostOf(slice.getMixedSizes()[0]) : std::nullopt;
}

Value ProductTiles::index(int64_t value) const { return arith::ConstantIndexOp::create(rewriter, chain.getLast().getLoc(), value); }

Value ProductTiles::overTiles(Value carried, std::optional<TileWindow::Range> inner, Step fn) {
  linalg::GenericOp last = chain.getLast();
  Location loc = last.getLoc();
  Value step = index(tileRows);
  auto loop = scf::ForOp::create(rewriter, loc, index(0), rows, step, ValueRange{carried});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar(), result = loop.getRegionIterArgs()[0];
  if (tileRows > 1)
    row = arith::MinSIOp::create(rewriter, loc, row, arith::SubIOp::create(rewriter, loc, rows, step));
  int64_t columns = cast<RankedTensorType>(last.getResult(0).getType()).getDimSize(1);
  int64_t columnStep = tileRows == 1 ? panelColumns : target.tileColumns; // one row alone leaves registers for more columns
  for (int64_t column = 0; column < columns; column += columnStep)
    result = fn(loop.getInductionVar(), {row, tileRows, column, std::min(columnStep, columns - column), inner}, result);
  scf::YieldOp::create(rewriter, loc, result);
  return loop.getResult(0);
}

Value ProductTiles::compute() {
  linalg::GenericOp product = chain.onlyProduct();
  bool isLarge = tileRows == target.tileRows; // less is bound by memory, which the machine reads ahead by itself
  if (product && isLarge) {
    int64_t depth = product.getStaticLoopRanges()[2];
    std::optional<int64_t> mostRows = mostRowsOf(chain.getDestination());
    if (mostRows && !ShapedType::isDynamic(depth) && !isHeldPanel(depth))
      return computeInBlocks(product, llvm::alignTo(*mostRows, tileRows));
  }
  return overTiles(chain.getDestination(), std::nullopt, [&](Value wholeTileRow, TileWindow window, Value into) {
    Tiles tiles;
    Value result = chain.computeTile(rewriter, into, window, tiles);
    if (product)
      prefetchAhead(tiles[product.getResult(0)], wholeTileRow, window);
    if (product && isLarge)
      prefetchInPlace(tiles[product.getResult(0)], into, window);
    return result;
  });
}

/// for blocks of k: for tiles: sums += a block's product; the last block with all that follows the product. Tiles overlap in the result, but not in
/// the sums, or rows would be added to twice.
Value ProductTiles::computeInBlocks(linalg::GenericOp product, int64_t mostRows) {
  Location loc = product.getLoc();
  auto type = cast<RankedTensorType>(product.getResult(0).getType());
  int64_t depth = product.getStaticLoopRanges()[2], lastFrom = (depth - 1) / productBlock * productBlock;
  SmallVector<OpFoldResult> strides(2, rewriter.getIndexAttr(1));
  auto offsetsOf = [&](Value row, const TileWindow &window) { return SmallVector<OpFoldResult>{row, rewriter.getIndexAttr(window.column)}; };
  auto sizesOf = [&](const TileWindow &window) {
    return SmallVector<OpFoldResult>{rewriter.getIndexAttr(window.rows), rewriter.getIndexAttr(window.columns)};
  };
  auto tileOf = [&](Value sums, Value row, const TileWindow &window) -> Value {
    return tensor::ExtractSliceOp::create(rewriter, loc, sums, offsetsOf(row, window), sizesOf(window), strides);
  };
  auto insert = [&](Value tile, Value sums, Value row, const TileWindow &window) -> Value {
    return tensor::InsertSliceOp::create(rewriter, loc, tile, sums, offsetsOf(row, window), sizesOf(window), strides);
  };
  auto multiply = [&](Value row, const TileWindow &window) {
    Value part = chain.computeProduct(rewriter, window);
    prefetchAhead(part, row, window);
    return part;
  };
  Value sums = tensor::EmptyOp::create(rewriter, loc, {mostRows, type.getDimSize(1)}, type.getElementType());
  Value start = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>().value();
  sums = overTiles(sums, std::nullopt, [&](Value row, TileWindow window, Value into) {
    Value tile = linalg::FillOp::create(rewriter, loc, start, tileOf(into, row, window)).getResult(0);
    return insert(tile, into, row, window);
  });
  auto blocks = scf::ForOp::create(rewriter, loc, index(0), index(lastFrom), index(productBlock), ValueRange{sums});
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(blocks.getBody());
    TileWindow::Range block{blocks.getInductionVar(), productBlock};
    sums = overTiles(blocks.getRegionIterArgs()[0], block, [&](Value row, TileWindow window, Value into) {
      Value tile = tileOf(into, row, window);
      return insert(addTiles(tile, multiply(row, window), tile), into, row, window);
    });
    scf::YieldOp::create(rewriter, loc, sums);
  }
  sums = blocks.getResult(0);
  TileWindow::Range last{rewriter.getIndexAttr(lastFrom), depth - lastFrom};
  return overTiles(chain.getDestination(), last, [&](Value row, TileWindow window, Value into) {
    Value out = tensor::EmptyOp::create(rewriter, loc, sizesOf(window), type.getElementType());
    if (product == chain.getLast())
      out = tileOf(into, cast<Value>(window.row), window);
    Value part = multiply(row, window);
    prefetchInPlace(part, into, window);
    Tiles tiles{{product.getResult(0), addTiles(tileOf(sums, row, window), part, out)}};
    return chain.computeTile(rewriter, into, window, tiles);
  });
}

Value ProductTiles::addTiles(Value sum, Value part, Value out) {
  Location loc = part.getLoc();
  SmallVector<AffineMap> maps(3, rewriter.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto add = linalg::GenericOp::create(
      rewriter, loc, TypeRange{out.getType()}, ValueRange{sum, part}, ValueRange{out}, maps, loops,
      [](OpBuilder &b, Location at, ValueRange v) { linalg::YieldOp::create(b, at, ValueRange{arith::AddFOp::create(b, at, v[0], v[1])}); });
  return add.getResult(0);
}

/// Where `tensor` lies: only memory can be fetched.
Value ProductTiles::bufferOf(Value tensor) {
  auto layout = bufferization::getMemRefTypeWithFullyDynamicLayout(cast<RankedTensorType>(tensor.getType()));
  return bufferization::ToBufferOp::create(rewriter, tensor.getLoc(), layout, tensor, /*read_only=*/true);
}

/// The weights of later tiles are on their way into L2 while this one is multiplied. While T whole tiles of rows pass over one block of a panel (or
/// all of it), each of them fetches a T-th of what lies behind it: the next block, or the next panel; one line in 128 bytes is enough, lines come in
/// pairs. Fewer rows than a whole tile pass once, at the pace of memory: each k fetches both lines of one not far ahead.
void ProductTiles::prefetchAhead(Value tile, Value wholeTileRow, const TileWindow &window) {
  Value weight = chain.onlyProduct().getInputs()[1];
  auto type = cast<RankedTensorType>(weight.getType());
  if (!type.hasStaticShape() || type.getRank() != 2 || type.getDimSize(1) != panelColumns || window.column != 0)
    return;
  auto product = tile.getDefiningOp<linalg::GenericOp>();
  int64_t depth = product.getStaticLoopRanges()[2];
  bool isWhole = tileRows == target.tileRows;
  Location loc = product.getLoc();
  auto make = [&]<typename Op>(Op, Value a, Value b) { return rewriter.createOrFold<Op>(loc, a, b); };
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(product);
  Value first = index(0), step = index(panelColumns); // in elements: of the first k, and from k to k
  if (isWhole) {
    Value size = index(tileRows);
    step = make(arith::CeilDivUIOp(), step, make(arith::CeilDivUIOp(), rows, size));
    Value share = make(arith::MulIOp(), step, index(depth)), before = make(arith::DivUIOp(), wholeTileRow, size);
    first = make(arith::MinSIOp(), make(arith::MulIOp(), before, share), index(depth * panelColumns));
  }
  Value from = window.inner ? getValueOrCreateConstantIndexOp(rewriter, loc, window.inner->from) : index(0);
  Value behind = make(arith::AddIOp(), from, index(isWhole ? depth : std::min(depth, fetchDistance)));
  Value panel = bufferOf(weight);
  rewriter.setInsertionPointToStart(product.getBody());
  Value k = linalg::IndexOp::create(rewriter, loc, 2), at = make(arith::AddIOp(), first, make(arith::MulIOp(), k, step));
  for (int64_t line = 0; line < (isWhole ? 1 : 2); ++line) {
    Value element = make(arith::AddIOp(), at, index(line * vectorLanes));
    memref::PrefetchOp::create(rewriter, loc, panel, ValueRange{behind, element}, /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
}

/// Where a tile's result goes, and the residuals it takes, are on their way into L2 while it is multiplied, row after row: stores and loads that wait
/// for their lines at its end take the buffers that the next tile needs, and so would all these fetches at once (512x3072x768: 4 points; with a
/// residual 10, of which all at once wins half).
void ProductTiles::prefetchInPlace(Value tile, Value into, const TileWindow &window) {
  auto product = tile.getDefiningOp<linalg::GenericOp>();
  int64_t depth = product.getStaticLoopRanges()[2];
  if (ShapedType::isDynamic(depth) || depth < shortestFetchPeriod * window.rows)
    return;
  int64_t period = llvm::bit_floor<uint64_t>(depth / window.rows);
  Location loc = product.getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(product);
  llvm::SetVector<Value> tensors = chain.getInputsInPlace();
  tensors.insert(into);
  SmallVector<Value> buffers = llvm::map_to_vector(tensors, [&](Value tensor) { return bufferOf(tensor); });
  Value first = getValueOrCreateConstantIndexOp(rewriter, loc, window.row), each = index(period), last = index(window.rows - 1);
  rewriter.setInsertionPointToStart(product.getBody());
  Value k = linalg::IndexOp::create(rewriter, loc, 2);
  Value row = arith::MinUIOp::create(rewriter, loc, arith::DivUIOp::create(rewriter, loc, k, each), last);
  row = arith::AddIOp::create(rewriter, loc, row, first);
  for (Value buffer : buffers)
    for (int64_t column = window.column; column < window.column + window.columns; column += vectorLanes)
      memref::PrefetchOp::create(rewriter, loc, buffer, ValueRange{row, index(column)}, /*isWrite=*/buffer == buffers.back(), /*localityHint=*/2,
                                 /*isDataCache=*/true);
}
