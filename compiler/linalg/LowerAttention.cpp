// Attention: scf.forall over batch rows, query tiles and heads; in it a loop over key blocks at absolute positions, each block a handful of linalg
// ops on static tiles. The running maximum, sum and output are merged block by block as the arithmetic contract says; nothing of size queries x keys
// exists. Vaswani et al. 2017; the merge is that of Milakov, Gimelshein 2018.
#include "compiler/linalg/KernelLowering.h"
#include "compiler/support/BitSizes.h"
#include "compiler/support/Target.h"

using namespace mlir;
using namespace heddle;
using P = arith::CmpIPredicate;

namespace {

/// A tile of queries of this width, and one of outputs, still fit a thread's stack.
constexpr int64_t widestHead = 4096;

/// An operand [tokens, heads, width] in its buffer.
struct HeadBuffer {
  Value tensor;
  int64_t rowsPerToken, headRows, headColumns, first, width;
  int64_t batchRows = 0; // rows of a batch row beyond its tokens
  Value padding = {};    // tokens of each batch row with its padding, in an array of the caller's
  Value batchShift = {}; // batchRows times the batch row, once that is known
  Value firstToken = {}; // of the batch row among padded ones, once that is known

  static std::optional<HeadBuffer> of(LinalgBuilder &b, const KernelLowering &kernel, Value operand) {
    auto view = headViewOf(operand);
    auto flatten = view ? view->base.getDefiningOp<FlattenOp>() : FlattenOp();
    Value tensor = view ? kernel.argument(flatten ? flatten.getSource() : view->base) : Value();
    if (!tensor)
      return std::nullopt;
    DimsAttr base = dimsOf(view->base);
    int64_t axes = base.getRank(), width = cast<RankedTensorType>(operand.getType()).getShape().back();
    if (view->headsFirst) { // (batch, head, token) is row (batch * heads + head) * tokens + token
      int64_t heads = base.shape()[1], tokens = base.shape()[2];
      return HeadBuffer{tensor, 1, tokens, 0, view->first, width, (heads - 1) * tokens};
    }
    // [tokens, heads, columns] or [batch, tokens, heads, columns]: all axes but the last are one in memory
    bool headed = axes == cast<RankedTensorType>(operand.getType()).getRank();
    HeadBuffer buffer{tensor, headed ? base.shape()[axes - 2] : 1, headed ? 1 : 0, view->headColumns, view->first, width};
    if (flatten)
      buffer.padding = kernel.extent(b, dimsOf(flatten.getSource()), 1);
    return buffer;
  }
  void setBatch(LinalgBuilder &b, Value batch) {
    if (padding)
      firstToken = b.multiply(batch, padding);
    if (batchRows)
      batchShift = b.multiply(batch, b.index(batchRows));
  }
  /// Token `index` of a batch row whose first one is `offset` among rows of tokens.
  Value tokenAt(LinalgBuilder &b, Value offset, Value index) const { return b.add(firstToken ? firstToken : offset, index); }
  Value rowAt(LinalgBuilder &b, Value token, Value head) const {
    Value row = rowsPerToken == 1 ? token : b.multiply(token, b.index(rowsPerToken));
    if (headRows)
      row = b.add(row, b.multiply(head, b.index(headRows)));
    return batchShift ? b.add(row, batchShift) : row;
  }
  Value columnAt(LinalgBuilder &b, Value head) const { return b.add(b.multiply(head, b.index(headColumns)), b.index(first)); }
};

class AttentionLowering {
public:
  AttentionLowering(KernelLowering &kernel, AttentionOp op) : kernel(kernel), op(op), element(elementOf(op.getResult())) {}
  FailureOr<Value> run(LinalgBuilder &b);

private:
  using State = SmallVector<Value>; // running maximum [R], sum [R], output [R, width]
  KernelLowering &kernel;
  AttentionOp op;
  Type element;
  HeadBuffer query, key, value;
  KernelLowering::Row queries, keys;
  Value batch, queryHead, keyHead;
  MaskOpInterface mask;

  struct Block {                // a key block seen by a query tile
    Value firstQuery, firstKey; // positions
    int64_t rows;
    Value visibleTile; // [rows, keyBlock], 1 or 0, where the mask reads a tensor
  };

  Value tile(LinalgBuilder &b, int64_t rows, Value start, Value out);
  std::pair<Value, Value> keyBlocks(LinalgBuilder &b, int64_t rows, Value firstQuery, Value end);
  State block(LinalgBuilder &b, Block at, Value queryTile, const State &state, bool full);
  struct Merge { // how a block joins the running state, all [R]
    Value blockSum, old, fresh, sum, maximum;
  };
  Merge factors(LinalgBuilder &b, int64_t rows, const State &state, Value m, Value l);
  Value combine(LinalgBuilder &b, const Merge &into, Value fresh, Value running, ArrayRef<AffineMap> maps);
  Value copyKeys(LinalgBuilder &b, const HeadBuffer &from, Value firstKey, Value firstColumn, int64_t columns, bool transposed);
  Value scoresOf(LinalgBuilder &b, const Block &at, Value queryTile);
  std::pair<Value, Value> visible(LinalgBuilder &g, const Block &at, int64_t queryLoop, int64_t keyLoop, Value score);
  MaskSite site();
  /// `body` on [rows, columns] pieces of `out`, a panel of columns at a time: code and registers do not grow with the width of a head.
  Value byColumns(LinalgBuilder &b, int64_t rows, int64_t width, Value out, llvm::function_ref<Value(LinalgBuilder &, Value, int64_t, Value)> body);
  /// Where maxima begin: finite, so that scores of -infinity alone have exps of 0, not of infinity - infinity, and their block counts as hidden.
  Value floor(LinalgBuilder &b) { return b.number(element, -std::numeric_limits<float>::max()); }
  Value exponent(LinalgBuilder &g, Value x, Value maximum) { return g.make<math::ExpOp>(g.make<arith::SubFOp>(x, maximum)); }
};

Value AttentionLowering::byColumns(LinalgBuilder &b, int64_t rows, int64_t width, Value out,
                                   llvm::function_ref<Value(LinalgBuilder &, Value, int64_t, Value)> body) {
  auto piece = [&](LinalgBuilder &i, Value first, int64_t columns, Value whole) {
    SmallVector<OpFoldResult> at{i.attr(0), first}, sizes{i.attr(rows), i.attr(columns)};
    return i.insert(body(i, first, columns, i.slice(whole, at, sizes)), whole, at, sizes);
  };
  int64_t even = width / panelColumns * panelColumns;
  if (width <= panelColumns)
    return body(b, b.index(0), width, out);
  auto loop = scf::ForOp::create(b, b.loc, b.index(0), b.index(even), b.index(panelColumns), ValueRange{out});
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  scf::YieldOp::create(i, b.loc, piece(i, loop.getInductionVar(), panelColumns, loop.getRegionIterArgs()[0]));
  return even == width ? loop.getResult(0) : piece(b, b.index(even), width - even, loop.getResult(0));
}

MaskSite AttentionLowering::site() { return kernel.siteOf(batch, queryHead, queries, keys); }

/// In a body over (queries, keys): whether the pair is real and visible, and its score.
std::pair<Value, Value> AttentionLowering::visible(LinalgBuilder &g, const Block &at, int64_t queryLoop, int64_t keyLoop, Value score) {
  Value q = g.add(at.firstQuery, g.position(queryLoop)), k = g.add(at.firstKey, g.position(keyLoop));
  Value index = g.subtract(k, keys.start);
  Value real = g.both(g.compare(P::sge, index, g.index(0)), g.compare(P::slt, index, keys.length));
  if (!mask)
    return {real, score};
  auto [seen, changed] = mask.emitScore(g, g.loc, site(), q, k, score);
  return {g.both(real, seen), changed};
}

/// Columns of the keys of a block, [columns, keyBlock] or [keyBlock, columns]; places without a real key repeat the nearest one.
Value AttentionLowering::copyKeys(LinalgBuilder &b, const HeadBuffer &from, Value firstKey, Value firstColumn, int64_t columns, bool transposed) {
  SmallVector<OpFoldResult> sizes{b.attr(transposed ? columns : keyBlock), b.attr(transposed ? keyBlock : columns)};
  Value last = b.subtract(keys.length, b.index(1)), column = b.add(from.columnAt(b, keyHead), firstColumn);
  return b.generic({}, b.empty(sizes, element), {b.map(2, {0, 1})}, 0, [&](LinalgBuilder &g, ValueRange) {
    Value position = g.add(firstKey, g.position(transposed ? 1 : 0));
    Value index = g.largest(g.index(0), g.least(g.subtract(position, keys.start), last));
    Value token = from.tokenAt(g, keys.offset, index);
    return g.extract(from.tensor, {from.rowAt(g, token, keyHead), g.add(column, g.position(transposed ? 0 : 1))});
  });
}

/// queries @ keys^T of a block, [rows, keyBlock]: a sum of chains over blocks of k, so that the copied keys never outgrow one block.
Value AttentionLowering::scoresOf(LinalgBuilder &b, const Block &at, Value queryTile) {
  AffineMap whole = b.map(2, {0, 1});
  SmallVector<AffineMap> product{b.map(3, {0, 2}), b.map(3, {2, 1}), b.map(3, {0, 1})};
  SmallVector<OpFoldResult> sizes{b.attr(at.rows), b.attr(keyBlock)};
  auto chain = [&](LinalgBuilder &i, Value first, int64_t columns) {
    Value keysTile = copyKeys(i, key, at.firstKey, first, columns, true);
    Value part = columns == key.width ? queryTile : i.slice(queryTile, {i.attr(0), first}, {i.attr(at.rows), i.attr(columns)});
    return i.generic({part, keysTile}, i.fill(i.zero(element), i.empty(sizes, element)), product, 1,
                     [](LinalgBuilder &g, ValueRange v) { return g.make<math::FmaOp>(v[0], v[1], v[2]); });
  };
  if (key.width <= productBlock)
    return chain(b, b.index(0), key.width);
  auto add = [&](LinalgBuilder &i, Value sum, Value part) {
    return i.generic({part}, sum, {whole, whole}, 0, [](LinalgBuilder &g, ValueRange v) { return g.make<arith::AddFOp>(v[1], v[0]); });
  };
  int64_t even = key.width / productBlock * productBlock;
  Value start = b.fill(b.zero(element), b.empty(sizes, element));
  auto loop = scf::ForOp::create(b, b.loc, b.index(0), b.index(even), b.index(productBlock), ValueRange{start});
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  scf::YieldOp::create(i, b.loc, add(i, loop.getRegionIterArgs()[0], chain(i, loop.getInductionVar(), productBlock)));
  return even == key.width ? loop.getResult(0) : add(b, loop.getResult(0), chain(b, b.index(even), key.width - even));
}

/// (m_b, l_b, o_b) of one block from its own maximum, merged into the running state. `full`: every pair is visible, no select is needed; both ways
/// give the same bits.
AttentionLowering::State AttentionLowering::block(LinalgBuilder &b, Block at, Value queries, const State &state, bool full) {
  OpFoldResult R = b.attr(at.rows), N = b.attr(keyBlock);
  AffineMap whole = b.map(2, {0, 1}), rows = b.map(2, {0});
  SmallVector<AffineMap> product{b.map(3, {0, 2}), b.map(3, {2, 1}), b.map(3, {0, 1})};
  Value zero = b.zero(element), lowest = b.lowest(element), none = b.number(element, 0.5);
  Value seen;
  if (!full && mask && mask.readsPairs())
    seen = b.generic({}, b.empty({R, N}, element), {whole}, 0,
                     [&](LinalgBuilder &g, ValueRange) { return g.make<arith::UIToFPOp>(element, visible(g, at, 0, 1, zero).first); });
  auto isSeen = [&](LinalgBuilder &g, ValueRange v, int64_t keyLoop) {
    return seen ? g.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, v.back(), none) : visible(g, at, 0, keyLoop, zero).first;
  };
  auto inputs = [&](std::initializer_list<Value> values) {
    SmallVector<Value> all(values);
    if (seen)
      all.push_back(seen);
    return all;
  };
  auto maps = [&](std::initializer_list<AffineMap> of, AffineMap seenMap, AffineMap out) {
    SmallVector<AffineMap> all(of);
    if (seen)
      all.push_back(seenMap);
    all.push_back(out);
    return all;
  };
  Value score = scoresOf(b, at, queries);
  if (!full || mask)
    score = b.generic({score}, b.empty({R, N}, element), {whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) {
      if (full)
        return visible(g, at, 0, 1, v[0]).second;
      auto [is, changed] = visible(g, at, 0, 1, v[0]);
      return g.choose(is, changed, lowest);
    });
  Value m = b.generic({score}, b.fill(floor(b), b.empty({R}, element)), {whole, rows}, 1,
                      [](LinalgBuilder &g, ValueRange v) { return g.larger(v[0], v[1]); });
  Value p = b.generic(inputs({score, m}), b.empty({R, N}, element), maps({whole, rows}, whole, whole), 0, [&](LinalgBuilder &g, ValueRange v) {
    Value e = exponent(g, v[0], v[1]);
    return full ? e : g.choose(isSeen(g, v.drop_back(), 1), e, zero);
  });
  Value l = b.generic({p}, b.fill(zero, b.empty({R}, element)), {whole, rows}, 1,
                      [](LinalgBuilder &g, ValueRange v) { return g.make<arith::AddFOp>(v[1], v[0]); });
  Merge into = factors(b, at.rows, state, m, l);
  Value output = byColumns(b, at.rows, value.width, state[2], [&](LinalgBuilder &c, Value first, int64_t columns, Value running) {
    Value values = copyKeys(c, value, at.firstKey, first, columns, false);
    auto body = [&](LinalgBuilder &g, ValueRange v) {
      Value sum = v.back(), next = g.make<math::FmaOp>(v[0], v[1], sum);
      return full ? next : g.choose(isSeen(g, v.drop_back(), 2), next, sum); // 0 * NaN never enters
    };
    Value fresh = c.generic(inputs({p, values}), c.fill(zero, c.empty({R, c.attr(columns)}, element)),
                            maps({product[0], product[1]}, product[0], product[2]), 1, body);
    return combine(c, into, fresh, running, {rows, rows, rows, whole, whole});
  });
  return {into.maximum, into.sum, output};
}

/// any = not (l_b == 0); x = any ? fma(x, exp(m - m'), x_b * exp(m_b - m')) : x. A block wholly hidden from a row is the identity, bit for bit.
Value AttentionLowering::combine(LinalgBuilder &b, const Merge &into, Value fresh, Value running, ArrayRef<AffineMap> maps) {
  Value zero = b.zero(element);
  return b.generic({into.blockSum, into.old, into.fresh, fresh}, running, maps, 0, [&](LinalgBuilder &g, ValueRange v) {
    Value hidden = g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], zero);
    return g.choose(hidden, v[4], g.make<math::FmaOp>(v[4], v[1], g.make<arith::MulFOp>(v[3], v[2])));
  });
}

/// The new maximum and sum of each row, and the factors of what was there and of the block.
AttentionLowering::Merge AttentionLowering::factors(LinalgBuilder &b, int64_t rows, const State &state, Value m, Value l) {
  AffineMap one = b.map(1, {0});
  Value zero = b.zero(element);
  auto empty = [&] { return b.empty({b.attr(rows)}, element); };
  auto factor = [&](LinalgBuilder &g, ValueRange v) { return exponent(g, v[0], v[1]); };
  Value next = b.generic({state[0], m}, empty(), {one, one, one}, 0, [](LinalgBuilder &g, ValueRange v) { return g.larger(v[0], v[1]); });
  Merge into{l, b.generic({state[0], next}, empty(), {one, one, one}, 0, factor), b.generic({m, next}, empty(), {one, one, one}, 0, factor), {}, {}};
  into.sum = combine(b, into, l, state[1], {one, one, one, one, one});
  into.maximum = b.generic({l, next}, state[0], {one, one, one}, 0, [&](LinalgBuilder &g, ValueRange v) {
    return g.choose(g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], zero), v[2], v[1]);
  });
  return into;
}

/// The blocks [first, last) that queries from position `firstQuery` on may see: of the keys there are, what the mask says of these queries. `end` is
/// the position behind the last key. The others would be the identity, and nobody looks at them: work grows with what is seen.
std::pair<Value, Value> AttentionLowering::keyBlocks(LinalgBuilder &b, int64_t rows, Value firstQuery, Value end) {
  Value size = b.index(keyBlock), first = keys.start, behind = end;
  if (mask) {
    auto [least, most] = mask.keyRange(b, b.loc, site(), firstQuery, b.add(firstQuery, b.index(rows - 1)));
    first = least ? b.largest(first, least) : first;
    behind = most ? b.least(behind, most) : behind;
  }
  Value firstBlock = b.make<arith::DivUIOp>(first, size), lastBlock = b.make<arith::CeilDivUIOp>(behind, size);
  return {firstBlock, b.choose(b.compare(P::slt, first, behind), lastBlock, firstBlock)};
}

/// The result of `rows` queries from index `start` of the batch row on.
Value AttentionLowering::tile(LinalgBuilder &b, int64_t rows, Value start, Value out) {
  AffineMap whole = b.map(2, {0, 1}), row = b.map(2, {0});
  // A scaled copy of the queries: read in place, their address has a maximum and a minimum in it, which LLVM's loop strength reduction writes out
  // again for every load of the innermost loop.
  Value token = query.tokenAt(b, queries.offset, start);
  Value firstRow = query.rowAt(b, token, queryHead), firstColumn = query.columnAt(b, queryHead),
        scale = b.number(element, op.getScale().convertToDouble());
  Value scaled = byColumns(
      b, rows, query.width, b.empty({b.attr(rows), b.attr(query.width)}, element), [&](LinalgBuilder &c, Value first, int64_t columns, Value to) {
        Value from =
            c.slice(query.tensor, {firstRow, c.add(firstColumn, first)}, {c.attr(rows), c.attr(columns)}, {c.attr(query.rowsPerToken), c.attr(1)});
        return c.generic({from}, to, {whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) { return g.make<arith::MulFOp>(v[0], scale); });
      });
  Value zero = b.zero(element), size = b.index(keyBlock);
  OpFoldResult R = b.attr(rows);
  // The output grows in a buffer of its own: `out` may be written by two tasks at once, where tiles overlap, so nothing may be read back from it.
  State state{b.fill(floor(b), b.empty({R}, element)), b.fill(zero, b.empty({R}, element)), b.fill(zero, b.empty({R, b.attr(value.width)}, element))};
  Value end = b.add(keys.start, keys.length);
  auto [first, last] = keyBlocks(b, rows, b.add(queries.start, start), end);
  auto loop = scf::ForOp::create(b, b.loc, first, last, b.index(1), state);
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  Block here{i.add(queries.start, start), i.multiply(loop.getInductionVar(), size), rows, {}};
  Value blockEnd = i.add(here.firstKey, size);
  Value some = i.truth(true), all = i.both(i.compare(P::sle, keys.start, here.firstKey), i.compare(P::sle, blockEnd, end));
  if (mask) {
    Value lastKey = i.subtract(i.least(blockEnd, end), i.index(1));
    auto answer = mask.classifyTile(i, i.loc, site(), here.firstQuery, i.add(here.firstQuery, i.index(rows - 1)),
                                    i.largest(keys.start, here.firstKey), lastKey);
    some = answer.first;
    all = i.both(all, answer.second);
  }
  State running(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  auto any = scf::IfOp::create(i, i.loc, ValueRange(running).getTypes(), some, true);
  LinalgBuilder t(OpBuilder::atBlockBegin(any.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(any.elseBlock()), b.loc);
  auto full = scf::IfOp::create(t, t.loc, ValueRange(running).getTypes(), all, true);
  scf::YieldOp::create(t, t.loc, full.getResults());
  for (bool isFull : {true, false}) {
    LinalgBuilder inner(OpBuilder::atBlockBegin(isFull ? full.thenBlock() : full.elseBlock()), b.loc);
    scf::YieldOp::create(inner, b.loc, block(inner, here, scaled, running, isFull));
  }
  scf::YieldOp::create(e, e.loc, running);
  scf::YieldOp::create(i, i.loc, any.getResults());
  return byColumns(b, rows, value.width, out, [&](LinalgBuilder &c, Value first, int64_t columns, Value to) {
    Value output = c.slice(loop.getResult(2), {c.attr(0), first}, {R, c.attr(columns)});
    return c.generic({loop.getResult(1), output}, to, {row, whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) {
      Value nothing = g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], zero);
      return g.choose(nothing, zero, g.make<arith::DivFOp>(v[1], v[0]));
    });
  });
}

FailureOr<Value> AttentionLowering::run(LinalgBuilder &b) {
  auto q = HeadBuffer::of(b, kernel, op.getQuery()), k = HeadBuffer::of(b, kernel, op.getKey()), v = HeadBuffer::of(b, kernel, op.getValue());
  bool queryRows = op.hasQueryRows();
  StringRef width = queryRows ? dimsOf(op.getType()).nameOf(0).getValue() : "";
  if (!q || !k || !v || (queryRows && !width.consume_back(".tokens")))
    return op.emitOpError("is built for rows of tokens, or [batch, heads, n, d], only");
  query = *q, key = *k, value = *v;
  if (key.width > widestHead || value.width > widestHead)
    return op.emitOpError("has heads wider than ") << widestHead << ", which is not built yet";
  mask = op.getMask() ? op.getMask().getDefiningOp<MaskOpInterface>() : MaskOpInterface();
  bool joined = kernel.resultOp() != op.getOperation(); // heads side by side in one row
  int64_t heads = op.heads(), group = heads / op.keyHeads();
  DimsAttr queryDims = dimsOf(op.getQuery());
  Value tileSize = b.index(queryTile), zero = b.index(0);
  Value batches = queryRows ? b.subtract(kernel.extent(b, dimsOf(op.getQueryOffsets()), 0), b.index(1)) : kernel.extent(b, queryDims, 0);
  Value longest = queryRows ? kernel.dimension(width) : kernel.extent(b, queryDims, 2);
  SmallVector<OpFoldResult> bounds{batches, b.make<arith::CeilDivUIOp>(longest, tileSize), b.attr(heads)};
  auto forall = scf::ForallOp::create(b, b.loc, bounds, ValueRange{kernel.out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  batch = forall.getInductionVar(0);
  for (HeadBuffer *buffer : {&query, &key, &value})
    buffer->setBatch(b, batch);
  queryHead = forall.getInductionVar(2);
  keyHead = group == 1 ? queryHead : b.make<arith::DivUIOp>(queryHead, b.index(group));
  auto wholeRow = [&](Value tokens) { return KernelLowering::Row{b.multiply(batch, tokens), tokens, zero}; };
  queries = queryRows ? kernel.rowOf(b, op.getQueryOffsets(), op.getQueryStarts(), batch) : wholeRow(longest);
  keys = op.hasKeyRows() ? kernel.rowOf(b, op.getKeyOffsets(), op.getKeyStarts(), batch) : wholeRow(kernel.extent(b, dimsOf(op.getKey()), 2));
  // The last tile of a row overlaps its neighbour; a row shorter than a tile goes query by query; a tile beyond the row has no queries.
  Value first = b.multiply(forall.getInductionVar(1), tileSize);
  Value start = b.largest(zero, b.least(first, b.subtract(queries.length, tileSize)));
  Value count = b.choose(b.compare(P::slt, first, queries.length), b.least(queries.length, tileSize), zero);
  HeadBuffer result{forall.getRegionIterArgs()[0], joined ? 1 : heads, joined ? 0 : 1, joined ? value.width : 0, 0, value.width};
  if (!joined && !queryRows) { // [batch, heads, n, d]
    int64_t tokens = queryDims.shape()[2];
    result = {result.tensor, 1, tokens, 0, 0, value.width, (heads - 1) * tokens};
    result.setBatch(b, batch);
  }
  Value token = b.add(queries.offset, start);
  SmallVector<OpFoldResult> at{result.rowAt(b, token, queryHead), result.columnAt(b, queryHead)}, sizes{count, b.attr(value.width)};
  SmallVector<OpFoldResult> steps{b.attr(result.rowsPerToken), b.attr(1)};
  Value out = b.slice(result.tensor, at, sizes, steps);
  auto choice = scf::IfOp::create(b, b.loc, TypeRange{out.getType()}, b.compare(P::eq, count, tileSize), true);
  LinalgBuilder t(OpBuilder::atBlockBegin(choice.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(choice.elseBlock()), b.loc);
  SmallVector<OpFoldResult> origin{b.attr(0), b.attr(0)}, whole{b.attr(queryTile), b.attr(value.width)}, one{b.attr(1), b.attr(value.width)};
  scf::YieldOp::create(t, b.loc, t.insert(tile(t, queryTile, start, t.slice(out, origin, whole)), out, origin, whole));
  auto loop = scf::ForOp::create(e, b.loc, zero, count, e.index(1), ValueRange{out});
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  SmallVector<OpFoldResult> here{loop.getInductionVar(), i.attr(0)};
  Value single = tile(i, 1, i.add(start, loop.getInductionVar()), i.slice(loop.getRegionIterArgs()[0], here, one));
  scf::YieldOp::create(i, b.loc, i.insert(single, loop.getRegionIterArgs()[0], here, one));
  scf::YieldOp::create(e, b.loc, loop.getResult(0));
  b.yieldSlice(forall, choice.getResult(0), at, sizes, steps);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
} // namespace

FailureOr<Value> KernelLowering::lowerAttention(LinalgBuilder &b, AttentionOp op) { return AttentionLowering(*this, op).run(b); }
