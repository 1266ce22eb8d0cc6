// The interpreter as judge: a module as the frontend makes it and the same module after the graph stage give the same results, on rows of every kind.
#include "ReferenceTest.h"
#include "compiler/graph/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace heddle;

namespace {
/// A decoder layer in small: embedding, positions, causal attention with heads, cross attention, norm, feed-forward; then what the masks hide.
const std::string decoder = R"(
  heddle.weight @table : tensor<7x4xf32, #heddle.dims<7, 4>> = #heddle.tensor<"table", tensor<7x4xf32>>
  heddle.weight @q : tensor<4x4xf32, #heddle.dims<4, 4>> = #heddle.tensor<"q", tensor<4x4xf32>>
  heddle.weight @k : tensor<4x4xf32, #heddle.dims<4, 4>> = #heddle.tensor<"k", tensor<4x4xf32>>
  heddle.weight @b : tensor<4xf32, #heddle.dims<4>> = #heddle.tensor<"b", tensor<4xf32>>
  heddle.weight @g : tensor<4xf32, #heddle.dims<4>> = #heddle.tensor<"g.weight", tensor<4xf32>>
  func.func @f(%target: tensor<?x?xi32, #heddle.dims<batch, t>> {heddle.name = "target"},
      %memory: tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> {heddle.name = "memory"})
      -> (tensor<?x?x4xf32, #heddle.dims<batch, t, 4>> {heddle.name = "result"}, tensor<?x?x?xi1, #heddle.dims<batch, t, s>> {heddle.name = "hidden"})
      attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"t" over "batch" bound 20>,
                                                     #heddle.dimension<"s" over "batch" bound 20>]} {
    %table = heddle.use @table : tensor<7x4xf32, #heddle.dims<7, 4>>
    %e = heddle.gather %table[%target] : tensor<7x4xf32, #heddle.dims<7, 4>>, tensor<?x?xi32, #heddle.dims<batch, t>> -> tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %p = heddle.positions : tensor<?x?xi32, #heddle.dims<batch, t>>
    %w = heddle.sinusoidal_positions %p frequencies [1.0, 0.01] interleaved shift 0 : tensor<?x?xi32, #heddle.dims<batch, t>> -> tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %x = arith.addf %e, %w : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %wq = heddle.use @q : tensor<4x4xf32, #heddle.dims<4, 4>>
    %tq = heddle.transpose %wq [1, 0] : tensor<4x4xf32, #heddle.dims<4, 4>> -> tensor<4x4xf32, #heddle.dims<4, 4>>
    %q0 = heddle.matmul %x, %tq : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>, tensor<4x4xf32, #heddle.dims<4, 4>> -> tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %b0 = heddle.use @b : tensor<4xf32, #heddle.dims<4>>
    %b1 = heddle.broadcast %b0 along [2] : tensor<4xf32, #heddle.dims<4>> -> tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %q1 = arith.addf %q0, %b1 : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %q2 = heddle.reshape %q1 : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>> -> tensor<?x?x2x2xf32, #heddle.dims<batch, t, 2, 2>>
    %q3 = heddle.transpose %q2 [0, 2, 1, 3] : tensor<?x?x2x2xf32, #heddle.dims<batch, t, 2, 2>> -> tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>
    %causal = heddle.mask_causal
    %a = heddle.attention %q3, %q3, %q3 mask %causal scale 0.7 : tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>, tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>,
        tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>> -> tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>
    %wk = heddle.use @k : tensor<4x4xf32, #heddle.dims<4, 4>>
    %k0 = heddle.matmul %memory, %wk : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>, tensor<4x4xf32, #heddle.dims<4, 4>> -> tensor<?x?x4xf32, #heddle.dims<batch, s, 4>>
    %k2 = heddle.reshape %k0 : tensor<?x?x4xf32, #heddle.dims<batch, s, 4>> -> tensor<?x?x2x2xf32, #heddle.dims<batch, s, 2, 2>>
    %k3 = heddle.transpose %k2 [0, 2, 1, 3] : tensor<?x?x2x2xf32, #heddle.dims<batch, s, 2, 2>> -> tensor<?x2x?x2xf32, #heddle.dims<batch, 2, s, 2>>
    %c = heddle.attention %a, %k3, %k3 scale 0.7 : tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>, tensor<?x2x?x2xf32, #heddle.dims<batch, 2, s, 2>>,
        tensor<?x2x?x2xf32, #heddle.dims<batch, 2, s, 2>> -> tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>>
    %c2 = heddle.transpose %c [0, 2, 1, 3] : tensor<?x2x?x2xf32, #heddle.dims<batch, 2, t, 2>> -> tensor<?x?x2x2xf32, #heddle.dims<batch, t, 2, 2>>
    %c3 = heddle.reshape %c2 : tensor<?x?x2x2xf32, #heddle.dims<batch, t, 2, 2>> -> tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %y = arith.addf %x, %c3 : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>
    %g = heddle.use @g : tensor<4xf32, #heddle.dims<4>>
    %r = heddle.layer_norm %y, %g bias %b0 epsilon 1.0e-5 : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>, tensor<4xf32, #heddle.dims<4>>, tensor<4xf32, #heddle.dims<4>>
    %v = heddle.mask_values : tensor<?x?x?xi1, #heddle.dims<batch, t, s>>
    %o = arith.constant true
    %ones = heddle.broadcast %o along [] : i1 -> tensor<?x?x?xi1, #heddle.dims<batch, t, s>>
    %h = arith.xori %v, %ones : tensor<?x?x?xi1, #heddle.dims<batch, t, s>>
    return %r, %h : tensor<?x?x4xf32, #heddle.dims<batch, t, 4>>, tensor<?x?x?xi1, #heddle.dims<batch, t, s>>
  })";

class GraphStage : public ReferenceTest {
protected:
  GraphStage() : weights(Checkpoint::open("seed:5", diagnostics)) {}

  void expectTheSame(std::vector<int64_t> targets, std::vector<int64_t> targetStarts, std::vector<int64_t> sources) {
    int64_t batch = static_cast<int64_t>(targets.size()), t = 5, s = 6;
    Environment rows;
    rows.ragged["t"] = {"batch", targets, targetStarts};
    rows.ragged["s"] = {"batch", sources, std::vector<int64_t>(targets.size(), 0)};
    Tensor ids({batch, t}), memory = scattered({batch, s, 4});
    for (int64_t i = 0; i < ids.count(); ++i)
      ids.data[i] = static_cast<double>(i * 5 % 7);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = sources[b]; i < s; ++i)
        memory[{b, i, 1}] = nan; // behind the padding
    auto before = runAll(decoder, {ids, memory}, rows, weights.get());
    ASSERT_EQ(before.size(), 2u) << diagnostics.render();
    mlir::PassManager pm(&context);
    buildGraphStage(pm);
    ASSERT_TRUE(mlir::succeeded(pm.run(*module)));
    auto after = evaluateEntry(module->lookupSymbol<mlir::func::FuncOp>("f"), {ids, memory}, rows, weights.get(), diagnostics);
    ASSERT_TRUE(after) << diagnostics.render();
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(before[i].shape, (*after)[i].shape);
      expectNear((*after)[i].data, before[i].data);
    }
  }

  std::unique_ptr<Checkpoint> weights;
};
} // namespace

TEST_F(GraphStage, fullRows) { expectTheSame({5}, {0}, {6}); }
TEST_F(GraphStage, raggedRows) { expectTheSame({5, 0, 2, 1}, {0, 0, 0, 0}, {6, 3, 0, 1}); }
TEST_F(GraphStage, rowsThatStartLater) { expectTheSame({3, 4}, {7, 15}, {2, 6}); }
TEST_F(GraphStage, noRows) { expectTheSame({}, {}, {}); }
