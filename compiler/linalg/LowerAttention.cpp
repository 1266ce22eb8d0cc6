// Attention: scf.forall over batch rows, chunks of queries and heads; in it a loop over key blocks at absolute positions, which are copied once for
// the whole chunk (one query alone reads them in place), and in that a loop over tiles of queries, each a handful of linalg ops on static tiles. The
// running maximum, sum and output are merged block by block as the arithmetic contract says; nothing of size queries x keys exists. Vaswani et al.
// 2017; the merge is that of Milakov, Gimelshein 2018.
#include "compiler/linalg/HeadBuffer.h"
#include "compiler/support/BitSizes.h"
#include "compiler/support/Target.h"

using namespace mlir;
using namespace heddle;
using P = arith::CmpIPredicate;

namespace {

/// A block of keys and one of values of this width still fit a thread's stack.
constexpr int64_t widestHead = 4096;
/// Keys of a block that is not wholly visible which are looked at together.
constexpr int64_t keyStep = 8;
/// Columns of one query alone: eight vectors keep the multipliers busy.
constexpr int64_t lonePanel = 4 * panelColumns;

/// Queries of a task at most, whose heads have this width: whole tiles, fewer of them where heads are wide.
int64_t chunkOf(int64_t width) { return std::clamp<int64_t>(queryChunkFloats / width / queryTile * queryTile, queryTile, queryChunk); }

class AttentionLowering {
public:
  AttentionLowering(KernelLowering &kernel, AttentionOp op) : kernel(kernel), op(op), element(elementOf(op.getResult())) {}
  FailureOr<Value> run(LinalgBuilder &b);

private:
  using State = SmallVector<Value>; // running maximum and sum of each query, [slots], and its output, [slots, width]
  KernelLowering &kernel;
  AttentionOp op;
  Type element;
  HeadBuffer query, key, value;
  KernelLowering::Row queries, keys;
  Value batch, queryHead, keyHead, endPosition; // behind the last key
  MaskOpInterface mask;

  /// The queries of a task, `rows` at a time: tile t has the slots [t * rows, (t + 1) * rows) of every buffer. The last one overlaps its neighbour,
  /// whose last queries then have two slots.
  struct Chunk {
    int64_t rows, slots;
    Value start, count, tiles; // first query of the batch row, how many, in how many tiles
    Value firstQuery(LinalgBuilder &b, Value tile) const {
      return b.add(start, b.least(b.multiply(tile, b.index(rows)), b.subtract(count, b.index(rows))));
    }
    Value slot(LinalgBuilder &b, Value tile) const { return b.multiply(tile, b.index(rows)); }
  };
  struct Block {                // a key block seen by a tile of queries
    Value firstQuery, firstKey; // positions
    int64_t rows;
    Value queries, keys, values; // [rows, width] times the scale, [width, keyBlock], [keyBlock, width]
    bool inPlace = false;        // the keys are [keyBlock, width]: not copied
    Value seen = {};             // [rows, keyBlock], 1 or 0, where the mask reads a tensor
  };
  struct Merge { // how a block joins the running state, all [rows]
    Value blockSum, old, fresh, sum, maximum;
  };

  Value chunk(LinalgBuilder &b, const Chunk &chunk, Value out);
  std::pair<Value, State> begin(LinalgBuilder &b, const Chunk &chunk);
  State visit(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state);
  State visitAlone(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state);
  State visitCopies(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state);
  State joinTile(LinalgBuilder &b, const Chunk &chunk, Value tile, Block at, Value scaled, const State &state, bool full);
  Value finish(LinalgBuilder &b, const Chunk &chunk, const State &state, Value out);
  Value clear(LinalgBuilder &b, Value out, Value from, Value to);
  std::pair<Value, Value> keyBlocks(LinalgBuilder &b, const Chunk &chunk);
  std::pair<Value, Value> classify(LinalgBuilder &b, const Block &at, Value firstKey, int64_t count);
  State join(LinalgBuilder &b, const Block &at, const State &state, bool full);
  Value scores(LinalgBuilder &b, const Block &at, bool full);
  Value output(LinalgBuilder &b, const Block &at, Value probabilities, Value values, int64_t columns, bool full);
  Merge factors(LinalgBuilder &b, int64_t rows, const State &state, Value m, Value l);
  Value combine(LinalgBuilder &b, const Merge &into, Value fresh, Value running, ArrayRef<AffineMap> maps);
  Value copyKeys(LinalgBuilder &b, const HeadBuffer &from, Value firstKey, bool transposed);
  Value keysInPlace(LinalgBuilder &b, const HeadBuffer &from, Value firstKey);
  std::pair<Value, Value> visible(LinalgBuilder &g, const Block &at, Value queryIndex, Value keyIndex, Value score);
  MaskSite site() { return kernel.siteOf(batch, queryHead, queries, keys); }
  /// `body` on [rows, columns] pieces of `out`, a panel of columns at a time: code and registers do not grow with the width of a head.
  Value byColumns(LinalgBuilder &b, int64_t rows, int64_t width, Value out, llvm::function_ref<Value(LinalgBuilder &, Value, int64_t, Value)> body);
  /// `state` carried through a loop.
  State loop(LinalgBuilder &b, Value from, Value to, int64_t step, const State &state,
             llvm::function_ref<State(LinalgBuilder &, Value, const State &)> body);
  /// `body(full)` where some pair is visible, full where all are; else `state`. Null for `all`: one way is enough.
  State choose(LinalgBuilder &b, Value some, Value all, const State &state, llvm::function_ref<State(LinalgBuilder &, bool)> body);
  /// Where maxima begin: finite, so that scores of -infinity alone have exps of 0, not of infinity - infinity, and their block counts as hidden.
  Value floor(LinalgBuilder &b) { return b.number(element, -std::numeric_limits<float>::max()); }
  /// Scores are counted in units of ln 2, so that exp(x - maximum) is a power of two: a third less work. The scale of the queries does it, or what
  /// comes after a mask that changes scores.
  Value exponent(LinalgBuilder &g, Value x, Value maximum) { return g.make<math::Exp2Op>(g.make<arith::SubFOp>(x, maximum)); }
  bool changesScores() { return mask && mask.changesScores(); }
};

//===---- control -------------------------------------------------------------------------------------------------===//

Value AttentionLowering::byColumns(LinalgBuilder &b, int64_t rows, int64_t width, Value out,
                                   llvm::function_ref<Value(LinalgBuilder &, Value, int64_t, Value)> body) {
  auto piece = [&](LinalgBuilder &i, Value first, int64_t columns, Value whole) {
    SmallVector<OpFoldResult> at{i.attr(0), first}, sizes{i.attr(rows), i.attr(columns)};
    return i.insert(body(i, first, columns, i.slice(whole, at, sizes)), whole, at, sizes);
  };
  int64_t panel = rows == 1 ? lonePanel : panelColumns, even = width / panel * panel;
  if (width <= panel)
    return body(b, b.index(0), width, out);
  Value done = loop(b, b.index(0), b.index(even), panel, {out},
                    [&](LinalgBuilder &i, Value first, const State &whole) { return State{piece(i, first, panel, whole[0])}; })[0];
  return even == width ? done : piece(b, b.index(even), width - even, done);
}

AttentionLowering::State AttentionLowering::loop(LinalgBuilder &b, Value from, Value to, int64_t step, const State &state,
                                                 llvm::function_ref<State(LinalgBuilder &, Value, const State &)> body) {
  auto loop = scf::ForOp::create(b, b.loc, from, to, b.index(step), state);
  LinalgBuilder i(OpBuilder::atBlockBegin(loop.getBody()), b.loc);
  State running(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  scf::YieldOp::create(i, b.loc, body(i, loop.getInductionVar(), running));
  return State(loop.getResults());
}

AttentionLowering::State AttentionLowering::choose(LinalgBuilder &b, Value some, Value all, const State &state,
                                                   llvm::function_ref<State(LinalgBuilder &, bool)> body) {
  TypeRange types = ValueRange(state).getTypes();
  auto any = scf::IfOp::create(b, b.loc, types, some, true);
  LinalgBuilder t(OpBuilder::atBlockBegin(any.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(any.elseBlock()), b.loc);
  scf::YieldOp::create(e, e.loc, state);
  if (!all) {
    scf::YieldOp::create(t, t.loc, body(t, false));
    return State(any.getResults());
  }
  auto whole = scf::IfOp::create(t, t.loc, types, all, true);
  for (bool full : {true, false}) {
    LinalgBuilder i(OpBuilder::atBlockBegin(full ? whole.thenBlock() : whole.elseBlock()), b.loc);
    scf::YieldOp::create(i, b.loc, body(i, full));
  }
  scf::YieldOp::create(t, t.loc, whole.getResults());
  return State(any.getResults());
}

//===---- what is visible -----------------------------------------------------------------------------------------===//

/// Whether the pair of these indices within the block is real and visible, and its score in units of ln 2.
std::pair<Value, Value> AttentionLowering::visible(LinalgBuilder &g, const Block &at, Value queryIndex, Value keyIndex, Value score) {
  Value q = g.add(at.firstQuery, queryIndex), k = g.add(at.firstKey, keyIndex);
  Value index = g.subtract(k, keys.start);
  Value real = g.both(g.compare(P::sge, index, g.index(0)), g.compare(P::slt, index, keys.length));
  if (!mask)
    return {real, score};
  auto [seen, changed] = mask.emitScore(g, g.loc, site(), q, k, score);
  return {g.both(real, seen), changesScores() ? g.make<arith::MulFOp>(changed, g.number(element, llvm::numbers::log2e)) : changed};
}

/// Whether some, and whether all of the pairs of a tile's queries with the `count` keys from position `firstKey` on are visible.
std::pair<Value, Value> AttentionLowering::classify(LinalgBuilder &b, const Block &at, Value firstKey, int64_t count) {
  Value behind = b.add(firstKey, b.index(count)), first = b.largest(keys.start, firstKey), end = b.least(behind, endPosition);
  Value some = b.compare(P::slt, first, end), all = b.both(b.compare(P::eq, first, firstKey), b.compare(P::eq, end, behind));
  if (!mask)
    return {some, all};
  auto [maskSome, maskAll] =
      mask.classifyTile(b, b.loc, site(), at.firstQuery, b.add(at.firstQuery, b.index(at.rows - 1)), first, b.subtract(end, b.index(1)));
  return {b.both(some, maskSome), b.both(all, maskAll)};
}

/// The blocks [first, last) that the queries of a chunk may see: of the keys there are, what the mask says of these queries. The others would be the
/// identity, and nobody looks at them: work grows with what is seen.
std::pair<Value, Value> AttentionLowering::keyBlocks(LinalgBuilder &b, const Chunk &chunk) {
  Value size = b.index(keyBlock), first = keys.start, behind = endPosition;
  if (mask) {
    Value firstQuery = b.add(queries.start, chunk.start), lastQuery = b.subtract(b.add(firstQuery, chunk.count), b.index(1));
    auto [least, most] = mask.keyRange(b, b.loc, site(), firstQuery, lastQuery);
    first = least ? b.largest(first, least) : first;
    behind = most ? b.least(behind, most) : behind;
  }
  Value firstBlock = b.make<arith::DivUIOp>(first, size), lastBlock = b.make<arith::CeilDivUIOp>(behind, size);
  Value some = b.both(b.compare(P::slt, first, behind), b.compare(P::sgt, chunk.count, b.index(0)));
  return {firstBlock, b.choose(some, lastBlock, firstBlock)};
}

//===---- one block of keys ---------------------------------------------------------------------------------------===//

/// The keys of a block, [width, keyBlock] or [keyBlock, width]; places without a real key repeat the nearest one. Where all are real their rows
/// follow each other, which takes half the instructions.
Value AttentionLowering::copyKeys(LinalgBuilder &b, const HeadBuffer &from, Value firstKey, bool transposed) {
  SmallVector<OpFoldResult> sizes{b.attr(transposed ? from.width : keyBlock), b.attr(transposed ? keyBlock : from.width)};
  Value copy = b.empty(sizes, element), column = from.columnAt(b, keyHead), last = b.subtract(keys.length, b.index(1));
  Value first = b.subtract(firstKey, keys.start), behind = b.add(first, b.index(keyBlock));
  Value areReal = b.both(b.compare(P::sge, first, b.index(0)), b.compare(P::sle, behind, keys.length));
  auto choice = scf::IfOp::create(b, b.loc, TypeRange{copy.getType()}, areReal, true);
  for (bool real : {true, false}) {
    LinalgBuilder i(OpBuilder::atBlockBegin(real ? choice.thenBlock() : choice.elseBlock()), b.loc);
    Value filled = i.generic({}, copy, {i.map(2, {0, 1})}, 0, [&](LinalgBuilder &g, ValueRange) {
      Value index = g.add(first, g.position(transposed ? 1 : 0));
      index = real ? index : g.largest(g.index(0), g.least(index, last));
      Value token = from.tokenAt(g, keys.offset, index);
      return g.extract(from.tensor, {from.rowAt(g, token, keyHead), g.add(column, g.position(transposed ? 0 : 1))});
    });
    scf::YieldOp::create(i, i.loc, filled);
  }
  return choice.getResult(0);
}

/// The keys of a block that are all real, where they lie: [keyBlock, width].
Value AttentionLowering::keysInPlace(LinalgBuilder &b, const HeadBuffer &from, Value firstKey) {
  Value token = from.tokenAt(b, keys.offset, b.subtract(firstKey, keys.start));
  SmallVector<OpFoldResult> at{from.rowAt(b, token, keyHead), from.columnAt(b, keyHead)}, sizes{b.attr(keyBlock), b.attr(from.width)};
  return b.slice(from.tensor, at, sizes, {b.attr(from.rowsPerToken), b.attr(1)});
}

/// queries @ keys^T of a block, [rows, keyBlock], as the mask changes them. Not full: panel by panel, as far as some pair of it is visible, and
/// -infinity where none is.
Value AttentionLowering::scores(LinalgBuilder &b, const Block &at, bool full) {
  OpFoldResult R = b.attr(at.rows), N = b.attr(keyBlock), P = b.attr(panelColumns), zero = b.attr(0);
  AffineMap whole = b.map(2, {0, 1});
  auto multiply = [&](LinalgBuilder &i, Value columns, OpFoldResult width) {
    return i.generic({at.queries, columns}, i.fill(i.zero(element), i.empty({R, width}, element)),
                     {b.map(3, {0, 2}), at.inPlace ? b.map(3, {1, 2}) : b.map(3, {2, 1}), b.map(3, {0, 1})}, 1,
                     [](LinalgBuilder &g, ValueRange v) { return g.make<math::FmaOp>(v[0], v[1], v[2]); });
  };
  if (full) {
    Value score = multiply(b, at.keys, N);
    return changesScores() ? b.generic({score}, b.empty({R, N}, element), {whole, whole}, 0,
                                       [&](LinalgBuilder &g, ValueRange v) { return visible(g, at, g.position(0), g.position(1), v[0]).second; })
                           : score;
  }
  return loop(b, b.index(0), b.index(keyBlock), panelColumns, {b.empty({R, N}, element)}, [&](LinalgBuilder &i, Value first, const State &all) {
    SmallVector<OpFoldResult> origin{zero, first}, sizes{R, P};
    auto some = scf::IfOp::create(i, i.loc, all[0].getType(), classify(i, at, i.add(at.firstKey, first), panelColumns).first, true);
    LinalgBuilder t(OpBuilder::atBlockBegin(some.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(some.elseBlock()), b.loc);
    Value score = multiply(t, t.slice(at.keys, {zero, first}, {t.attr(key.width), P}), P);
    score = t.generic({score}, t.slice(all[0], origin, sizes), {whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) {
      auto [is, changed] = visible(g, at, g.position(0), g.add(first, g.position(1)), v[0]);
      return g.choose(is, changed, g.lowest(element));
    });
    scf::YieldOp::create(t, t.loc, t.insert(score, all[0], origin, sizes));
    scf::YieldOp::create(e, e.loc, e.insert(e.fill(e.lowest(element), e.slice(all[0], origin, sizes)), all[0], origin, sizes));
    return State(some.getResults());
  })[0];
}

/// probabilities @ values, [rows, columns]. Not full: a few keys at a time; of those that some query does not see 0 * NaN never enters. Every chain
/// is the same as if all of them went through the select.
Value AttentionLowering::output(LinalgBuilder &b, const Block &at, Value probabilities, Value values, int64_t columns, bool full) {
  OpFoldResult R = b.attr(at.rows), zero = b.attr(0);
  SmallVector<AffineMap> product{b.map(3, {0, 2}), b.map(3, {2, 1}), b.map(3, {0, 1})};
  Value none = b.fill(b.zero(element), b.empty({R, b.attr(columns)}, element));
  auto multiply = [](LinalgBuilder &g, ValueRange v) { return g.make<math::FmaOp>(v[0], v[1], v[2]); };
  if (full)
    return b.generic({probabilities, values}, none, product, 1, multiply);
  return loop(b, b.index(0), b.index(keyBlock), keyStep, {none}, [&](LinalgBuilder &i, Value first, const State &sum) {
    auto [some, all] = classify(i, at, i.add(at.firstKey, first), keyStep);
    return choose(i, some, all, sum, [&](LinalgBuilder &c, bool plain) {
      OpFoldResult K = c.attr(keyStep);
      Value p = c.slice(probabilities, {zero, first}, {R, K}), v = c.slice(values, {first, zero}, {K, c.attr(columns)});
      if (plain)
        return State{c.generic({p, v}, sum[0], product, 1, multiply)};
      SmallVector<Value> inputs{p, v};
      SmallVector<AffineMap> maps(product);
      if (at.seen) {
        inputs.push_back(c.slice(at.seen, {zero, first}, {R, K}));
        maps.insert(maps.begin() + 2, product[0]);
      }
      return State{c.generic(inputs, sum[0], maps, 1, [&](LinalgBuilder &g, ValueRange v) {
        Value is = at.seen ? g.make<arith::CmpFOp>(arith::CmpFPredicate::OGT, v[2], g.number(element, 0.5))
                           : visible(g, at, g.position(0), g.add(first, g.position(2)), g.zero(element)).first;
        return g.choose(is, g.make<math::FmaOp>(v[0], v[1], v.back()), v.back());
      })};
    });
  })[0];
}

/// (m_b, l_b, o_b) of one block from its own maximum, merged into the running state. `full`: every pair is visible, no select is needed; both ways
/// give the same bits.
AttentionLowering::State AttentionLowering::join(LinalgBuilder &b, const Block &block, const State &state, bool full) {
  Block at = block;
  OpFoldResult R = b.attr(at.rows), N = b.attr(keyBlock), zero = b.attr(0);
  AffineMap whole = b.map(2, {0, 1}), rows = b.map(2, {0});
  if (!full && mask && mask.readsPairs())
    at.seen = b.generic({}, b.empty({R, N}, element), {whole}, 0, [&](LinalgBuilder &g, ValueRange) {
      return g.make<arith::UIToFPOp>(element, visible(g, at, g.position(0), g.position(1), g.zero(element)).first);
    });
  Value score = scores(b, at, full);
  Value m = b.generic({score}, b.fill(floor(b), b.empty({R}, element)), {whole, rows}, 1,
                      [](LinalgBuilder &g, ValueRange v) { return g.larger(v[0], v[1]); });
  // Hidden scores are -infinity, so their exps are 0; where m is NaN all of the row is.
  Value p = b.generic({score, m}, b.empty({R, N}, element), {whole, rows, whole}, 0,
                      [&](LinalgBuilder &g, ValueRange v) { return exponent(g, v[0], v[1]); });
  Value l = b.generic({p}, b.fill(b.zero(element), b.empty({R}, element)), {whole, rows}, 1,
                      [](LinalgBuilder &g, ValueRange v) { return g.make<arith::AddFOp>(v[1], v[0]); });
  Merge into = factors(b, at.rows, state, m, l);
  Value sum = byColumns(b, at.rows, value.width, state[2], [&](LinalgBuilder &c, Value first, int64_t columns, Value running) {
    Value values = c.slice(at.values, {zero, first}, {N, c.attr(columns)});
    return combine(c, into, output(c, at, p, values, columns, full), running, {rows, rows, rows, whole, whole});
  });
  return {into.maximum, into.sum, sum};
}

/// any = not (l_b == 0); x = any ? fma(x, exp(m - m'), x_b * exp(m_b - m')) : x. A block wholly hidden from a row is the identity, bit for bit.
Value AttentionLowering::combine(LinalgBuilder &b, const Merge &into, Value fresh, Value running, ArrayRef<AffineMap> maps) {
  return b.generic({into.blockSum, into.old, into.fresh, fresh}, running, maps, 0, [&](LinalgBuilder &g, ValueRange v) {
    Value hidden = g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], g.zero(element));
    return g.choose(hidden, v[4], g.make<math::FmaOp>(v[4], v[1], g.make<arith::MulFOp>(v[3], v[2])));
  });
}

/// The new maximum and sum of each row, and the factors of what was there and of the block.
AttentionLowering::Merge AttentionLowering::factors(LinalgBuilder &b, int64_t rows, const State &state, Value m, Value l) {
  AffineMap one = b.map(1, {0});
  auto empty = [&] { return b.empty({b.attr(rows)}, element); };
  auto factor = [&](LinalgBuilder &g, ValueRange v) { return exponent(g, v[0], v[1]); };
  Value next = b.generic({state[0], m}, empty(), {one, one, one}, 0, [](LinalgBuilder &g, ValueRange v) { return g.larger(v[0], v[1]); });
  Merge into{l, b.generic({state[0], next}, empty(), {one, one, one}, 0, factor), b.generic({m, next}, empty(), {one, one, one}, 0, factor), {}, {}};
  into.sum = combine(b, into, l, state[1], {one, one, one, one, one});
  into.maximum = b.generic({l, next}, state[0], {one, one, one}, 0, [&](LinalgBuilder &g, ValueRange v) {
    return g.choose(g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], g.zero(element)), v[2], v[1]);
  });
  return into;
}

//===---- one chunk of queries ------------------------------------------------------------------------------------===//

/// The queries times the scale (and log2 e, see exponent), and the state before any key.
std::pair<Value, AttentionLowering::State> AttentionLowering::begin(LinalgBuilder &b, const Chunk &chunk) {
  OpFoldResult S = b.attr(chunk.slots), R = b.attr(chunk.rows), zero = b.attr(0);
  AffineMap whole = b.map(2, {0, 1});
  Value scale = b.number(element, op.getScale().convertToDouble() * (changesScores() ? 1 : llvm::numbers::log2e));
  State start{b.empty({S}, element), b.empty({S}, element), b.empty({S, b.attr(value.width)}, element), b.empty({S, b.attr(query.width)}, element)};
  State all = loop(b, b.index(0), chunk.tiles, 1, start, [&](LinalgBuilder &i, Value tile, const State &all) {
    Value token = query.tokenAt(i, queries.offset, chunk.firstQuery(i, tile)), firstRow = query.rowAt(i, token, queryHead);
    Value firstColumn = query.columnAt(i, queryHead);
    OpFoldResult slot = chunk.slot(i, tile);
    auto place = [&](Value to, Value with, SmallVector<OpFoldResult> origin, SmallVector<OpFoldResult> sizes) {
      return i.insert(i.fill(with, i.slice(to, origin, sizes)), to, origin, sizes);
    };
    SmallVector<OpFoldResult> origin{slot, zero}, sizes{R, i.attr(query.width)};
    Value out = byColumns(i, chunk.rows, query.width, i.slice(all[3], origin, sizes), [&](LinalgBuilder &c, Value first, int64_t columns, Value to) {
      Value from = c.slice(query.tensor, {firstRow, c.add(firstColumn, first)}, {R, c.attr(columns)}, {c.attr(query.rowsPerToken), c.attr(1)});
      return c.generic({from}, to, {whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) { return g.make<arith::MulFOp>(v[0], scale); });
    });
    return State{place(all[0], floor(i), {slot}, {R}), place(all[1], i.zero(element), {slot}, {R}),
                 place(all[2], i.zero(element), origin, {R, i.attr(value.width)}), i.insert(out, all[3], origin, sizes)};
  });
  Value scaled = all.pop_back_val();
  return {scaled, all};
}

/// A tile of a chunk sees the block `at`.
AttentionLowering::State AttentionLowering::joinTile(LinalgBuilder &b, const Chunk &chunk, Value tile, Block at, Value scaled, const State &state,
                                                     bool full) {
  OpFoldResult slot = chunk.slot(b, tile), R = b.attr(chunk.rows), zero = b.attr(0);
  SmallVector<OpFoldResult> origin{slot, zero}, sizes{R, b.attr(value.width)};
  at.queries = b.slice(scaled, {slot, zero}, {R, b.attr(query.width)});
  State mine{b.slice(state[0], {slot}, {R}), b.slice(state[1], {slot}, {R}), b.slice(state[2], origin, sizes)};
  State next = join(b, at, mine, full);
  return {b.insert(next[0], state[0], {slot}, {R}), b.insert(next[1], state[1], {slot}, {R}), b.insert(next[2], state[2], origin, sizes)};
}

/// All tiles of a chunk see a block of keys, whose copies serve them all.
AttentionLowering::State AttentionLowering::visitCopies(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state) {
  Value keysTile = copyKeys(b, key, firstKey, true), valuesTile = copyKeys(b, value, firstKey, false);
  return loop(b, b.index(0), chunk.tiles, 1, state, [&](LinalgBuilder &i, Value tile, const State &running) {
    Block at{i.add(queries.start, chunk.firstQuery(i, tile)), firstKey, chunk.rows, {}, keysTile, valuesTile};
    auto [some, all] = classify(i, at, firstKey, keyBlock);
    return choose(i, some, chunk.rows == 1 ? Value() : all, running,
                  [&](LinalgBuilder &t, bool full) { return joinTile(t, chunk, tile, at, scaled, running, full); });
  });
}

/// One query alone, which sees all of a block, reads it once, in place: written to copies, keys and values from memory would take twice as long.
AttentionLowering::State AttentionLowering::visitAlone(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state) {
  Block at{b.add(queries.start, chunk.start), firstKey, chunk.rows, {}, {}, {}, true};
  Value all = classify(b, at, firstKey, keyBlock).second, isAlone = b.compare(P::eq, chunk.count, b.index(1));
  auto choice = scf::IfOp::create(b, b.loc, ValueRange(state).getTypes(), b.both(isAlone, all), true);
  LinalgBuilder t(OpBuilder::atBlockBegin(choice.thenBlock()), b.loc), e(OpBuilder::atBlockBegin(choice.elseBlock()), b.loc);
  at.keys = keysInPlace(t, key, firstKey);
  at.values = keysInPlace(t, value, firstKey);
  scf::YieldOp::create(t, t.loc, joinTile(t, chunk, t.index(0), at, scaled, state, true));
  scf::YieldOp::create(e, e.loc, visitCopies(e, chunk, scaled, firstKey, state));
  return State(choice.getResults());
}

AttentionLowering::State AttentionLowering::visit(LinalgBuilder &b, const Chunk &chunk, Value scaled, Value firstKey, const State &state) {
  return chunk.rows == 1 ? visitAlone(b, chunk, scaled, firstKey, state) : visitCopies(b, chunk, scaled, firstKey, state);
}

/// o / l, or 0 where no key was visible, into [count, width].
Value AttentionLowering::finish(LinalgBuilder &b, const Chunk &chunk, const State &state, Value out) {
  AffineMap whole = b.map(2, {0, 1}), row = b.map(2, {0});
  return loop(b, b.index(0), chunk.tiles, 1, {out}, [&](LinalgBuilder &i, Value tile, const State &all) {
    OpFoldResult slot = chunk.slot(i, tile), R = i.attr(chunk.rows), zero = i.attr(0);
    SmallVector<OpFoldResult> origin{i.subtract(chunk.firstQuery(i, tile), chunk.start), zero}, sizes{R, i.attr(value.width)};
    Value sum = i.slice(state[1], {slot}, {R}), outputs = i.slice(state[2], {slot, zero}, sizes);
    Value done = byColumns(i, chunk.rows, value.width, i.slice(all[0], origin, sizes), [&](LinalgBuilder &c, Value first, int64_t columns, Value to) {
      Value output = c.slice(outputs, {zero, first}, {R, c.attr(columns)});
      return c.generic({sum, output}, to, {row, whole, whole}, 0, [&](LinalgBuilder &g, ValueRange v) {
        Value nothing = g.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, v[0], g.zero(element));
        return g.choose(nothing, g.zero(element), g.make<arith::DivFOp>(v[1], v[0]));
      });
    });
    return State{i.insert(done, all[0], origin, sizes)};
  })[0];
}

/// The result of the queries of a chunk. The output grows in a buffer of its own: `out` may be written by two tasks at once, where tiles overlap, so
/// nothing may be read back from it.
Value AttentionLowering::chunk(LinalgBuilder &b, const Chunk &chunk, Value out) {
  auto [scaled, state] = begin(b, chunk);
  auto [first, last] = keyBlocks(b, chunk);
  State done = loop(b, first, last, 1, state, [&, scaled = scaled](LinalgBuilder &i, Value block, const State &running) {
    return visit(i, chunk, scaled, i.multiply(block, i.index(keyBlock)), running);
  });
  return finish(b, chunk, done, out);
}

/// Rows [from, to) of `out` are 0: the caller's padding behind the queries of a batch row.
Value AttentionLowering::clear(LinalgBuilder &b, Value out, Value from, Value to) {
  return loop(b, from, to, 1, {out}, [&](LinalgBuilder &i, Value row, const State &all) {
    SmallVector<OpFoldResult> at{row, i.attr(0)}, one{i.attr(1), i.attr(value.width)};
    return State{i.insert(i.fill(i.zero(element), i.slice(all[0], at, one)), all[0], at, one)};
  })[0];
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
  auto padded = dyn_cast<UnflattenOp>(kernel.resultOp());
  int64_t heads = op.heads(), group = heads / op.keyHeads();
  DimsAttr queryDims = dimsOf(op.getQuery());
  int64_t chunkRows = chunkOf(std::max(query.width, value.width));
  Value tileSize = b.index(queryTile), zero = b.index(0);
  Value batches = queryRows ? b.subtract(kernel.extent(b, dimsOf(op.getQueryOffsets()), 0), b.index(1)) : kernel.extent(b, queryDims, 0);
  Value longest = queryRows ? kernel.dimension(width) : kernel.extent(b, queryDims, 2);
  Value share = b.multiply(b.make<arith::CeilDivUIOp>(longest, b.index(queryChunks * queryTile)), tileSize);
  Value chunkSize = b.largest(b.index(llvm::alignTo(chunkRows / 2, queryTile)), b.least(b.index(chunkRows), share));
  SmallVector<OpFoldResult> bounds{batches, b.attr(heads), b.make<arith::CeilDivUIOp>(longest, chunkSize)}; // keys of a head serve its chunks
  auto forall = scf::ForallOp::create(b, b.loc, bounds, ValueRange{kernel.out}, std::nullopt);
  b.setInsertionPoint(forall.getTerminator());
  batch = forall.getInductionVar(0);
  for (HeadBuffer *buffer : {&query, &key, &value})
    buffer->setBatch(b, batch);
  queryHead = forall.getInductionVar(1);
  keyHead = group == 1 ? queryHead : b.make<arith::DivUIOp>(queryHead, b.index(group));
  auto wholeRow = [&](Value tokens) { return KernelLowering::Row{b.multiply(batch, tokens), tokens, zero}; };
  queries = queryRows ? kernel.rowOf(b, op.getQueryOffsets(), op.getQueryStarts(), batch) : wholeRow(longest);
  keys = op.hasKeyRows() ? kernel.rowOf(b, op.getKeyOffsets(), op.getKeyStarts(), batch) : wholeRow(kernel.extent(b, dimsOf(op.getKey()), 2));
  endPosition = b.add(keys.start, keys.length);
  // A chunk with fewer queries than a tile begins earlier in its row; a row shorter than a tile goes query by query; a chunk beyond the row has none.
  Value first = b.multiply(forall.getInductionVar(2), chunkSize), end = b.least(queries.length, b.add(first, chunkSize));
  Value isReal = b.compare(P::slt, first, queries.length);
  Value start = b.choose(isReal, b.largest(zero, b.least(first, b.subtract(queries.length, tileSize))), first);
  Value count = b.choose(isReal, b.subtract(end, start), zero);
  HeadBuffer result{forall.getRegionIterArgs()[0], joined ? 1 : heads, joined ? 0 : 1, joined ? value.width : 0, 0, value.width};
  if (!joined && !queryRows) { // [batch, heads, n, d]
    int64_t tokens = queryDims.shape()[2];
    result = {result.tensor, 1, tokens, 0, 0, value.width, (heads - 1) * tokens};
    result.setBatch(b, batch);
  }
  Value rows = count;
  if (padded) {
    rows = b.largest(count, b.subtract(b.least(longest, b.add(first, chunkSize)), start));
    result.padding = kernel.extent(b, dimsOf(padded.getType()), 1);
    result.setBatch(b, batch);
  }
  Value token = result.tokenAt(b, queries.offset, start);
  SmallVector<OpFoldResult> at{result.rowAt(b, token, queryHead), result.columnAt(b, queryHead)}, sizes{rows, b.attr(value.width)};
  SmallVector<OpFoldResult> steps{b.attr(result.rowsPerToken), b.attr(1)};
  Value out = b.slice(result.tensor, at, sizes, steps);
  auto choice = scf::IfOp::create(b, b.loc, TypeRange{out.getType()}, b.compare(P::sge, count, tileSize), true);
  for (bool whole : {true, false}) {
    LinalgBuilder i(OpBuilder::atBlockBegin(whole ? choice.thenBlock() : choice.elseBlock()), b.loc);
    int64_t rows = whole ? queryTile : 1;
    Chunk chunk{rows, whole ? chunkRows : queryTile, start, count, i.make<arith::CeilDivUIOp>(count, i.index(rows))};
    scf::YieldOp::create(i, b.loc, this->chunk(i, chunk, out));
  }
  Value done = padded ? clear(b, choice.getResult(0), count, rows) : choice.getResult(0);
  b.yieldSlice(forall, done, at, sizes, steps);
  b.setInsertionPointAfter(forall);
  return forall.getResult(0);
}
} // namespace

FailureOr<Value> KernelLowering::lowerAttention(LinalgBuilder &b, AttentionOp op) { return AttentionLowering(*this, op).run(b); }
