// Bisection finds what is planted after the graph stage: a pass of the test's own stands among those of a stage and spoils one operation.
#include "compiler/pipeline/Bisect.h"
#include "../support/TemporaryFolder.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/native/EmitObject.h"
#include "compiler/pipeline/Stages.h"
#include "compiler/support/Checkpoint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "gmock/gmock.h"
#include <cstring>

using namespace heddle;
using testing::HasSubstr;

namespace {

struct Fail;

/// Calls `spoil` with operations, where `once` until it returns true.
template <class Tag> struct SpoilPass : mlir::PassWrapper<SpoilPass<Tag>, mlir::OperationPass<mlir::ModuleOp>> {
  llvm::StringRef getArgument() const override { return Tag::name; }
  void runOnOperation() override {
    bool done = false;
    this->getOperation().walk([&](mlir::Operation *op) {
      bool spoiled = Tag::spoil(op);
      done |= spoiled;
      return spoiled && Tag::once ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
    });
    EXPECT_TRUE(done) << "nothing to spoil";
    if (std::is_same_v<Tag, Fail>)
      this->signalPassFailure();
  }
};

bool becomes(mlir::Operation *op, llvm::StringRef from, llvm::StringRef to) {
  if (op->getName().getStringRef() != from)
    return false;
  mlir::OpBuilder b(op);
  op->replaceAllUsesWith(b.create(op->getLoc(), b.getStringAttr(to), op->getOperands(), op->getResultTypes()));
  op->erase();
  return true;
}

/// Differences of scalars and vectors become sums. (One of them alone may be no fault: a norm takes the mean twice.)
struct Sum {
  static constexpr const char *name = "test-sum-for-difference";
  static constexpr bool once = false;
  static bool spoil(mlir::Operation *op) { return becomes(op, "arith.subf", "arith.addf") || becomes(op, "llvm.fsub", "llvm.fadd"); }
};
/// The first view of a kernel begins where nobody has memory.
struct Crash {
  static constexpr const char *name = "test-view-nothing";
  static constexpr bool once = true;
  static bool spoil(mlir::Operation *op) {
    auto view = mlir::dyn_cast<mlir::memref::ViewOp>(op);
    if (!view || op->getParentOfType<mlir::func::FuncOp>()->hasAttr("heddle.entry"))
      return false;
    mlir::OpBuilder b(op);
    view.getByteShiftMutable().set(mlir::arith::ConstantIndexOp::create(b, op->getLoc(), int64_t(1) << 46));
    return true;
  }
};
/// A loop makes no steps.
struct Hang {
  static constexpr const char *name = "test-loop-forever";
  static constexpr bool once = true;
  static bool spoil(mlir::Operation *op) {
    auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op);
    if (!loop)
      return false;
    mlir::OpBuilder b(op);
    loop.getStepMutable().set(mlir::arith::ConstantIndexOp::create(b, op->getLoc(), 0));
    return true;
  }
};
struct Fail {
  static constexpr const char *name = "test-fail";
  static constexpr bool once = true;
  static bool spoil(mlir::Operation *op) { return op->emitError("this test fails"), true; }
};

struct Bisect : testing::Test {
  Bisect() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    static std::once_flag once;
    std::call_once(once, [] {
      mlir::PassRegistration<SpoilPass<Sum>>();
      mlir::PassRegistration<SpoilPass<Crash>>();
      mlir::PassRegistration<SpoilPass<Hang>>();
      mlir::PassRegistration<SpoilPass<Fail>>();
    });
    ModelSource source;
    source.path = folder.put("model.heddle", R"(heddle 1
model small {
  entry forward(x: f32[batch, s..., 8]) -> f32[batch, s..., 8] {
    y = (x - mean(x)) / sqrt(var(x) + 1e-5)
    return y @ weight("w", [8, 8])
  }
}
)");
    source.weights = "seed:1";
    module = importModel(context, source, diagnostics);
    checkpoint = Checkpoint::open("seed:1", diagnostics);
    NpyArray array{ElementType::F32, {2, 3, 8}, std::vector<char>(2 * 3 * 8 * sizeof(float))};
    for (size_t i = 0; i < array.data.size() / sizeof(float); ++i) {
      float value = static_cast<float>(i * i % 17);
      std::memcpy(&array.data[i * sizeof(float)], &value, sizeof(float));
    }
    EXPECT_TRUE(writeNpy(folder / "x.npy", array, diagnostics));
    const Target &target = *findTarget("x86-64-v3");
    options = {{"", {{"x", folder / "x.npy"}}, {}, {}, {}}, bisectSteps(target), &target, HEDDLE_RUNTIME, checkpoint.get(), 60, false, ""};
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    registerTranslations(registry);
    return registry;
  }

  /// Puts a pass behind the first one of that name in a stage.
  int plant(const std::string &stage, llvm::StringRef behind, const std::string &pass) {
    auto at =
        llvm::find_if(options.steps, [&](const BisectStep &step) { return step.stage == stage && llvm::StringRef(step.pass).contains(behind); });
    EXPECT_NE(at, options.steps.end());
    return static_cast<int>(options.steps.insert(at + 1, {stage, pass}) - options.steps.begin());
  }
  BisectReport run() {
    BisectReport report = bisect(*module, options, diagnostics);
    EXPECT_EQ(report.status, EvaluateStatus::Done) << diagnostics.render();
    return report;
  }
  void expectFound(int step) {
    BisectReport report = run();
    EXPECT_EQ(report.step, step) << report.text;
    EXPECT_THAT(report.text, HasSubstr("stage " + options.steps[static_cast<size_t>(step)].stage));
  }

  TemporaryFolder folder;
  mlir::MLIRContext context;
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Checkpoint> checkpoint;
  BisectOptions options;
};

TEST_F(Bisect, NothingPlanted) { EXPECT_EQ(run().step, -1); }
TEST_F(Bisect, Linalg) { expectFound(plant("linalg", "heddle-lower-kernels", Sum::name)); }
TEST_F(Bisect, Loops) { expectFound(plant("loops", "heddle-vectorize-tiles", Sum::name)); }
TEST_F(Bisect, Memory) { expectFound(plant("memory", "heddle-outline-parallel", Sum::name)); }
TEST_F(Bisect, Native) { expectFound(plant("native", "reconcile-unrealized-casts", Sum::name)); }
TEST_F(Bisect, EverySnapshot) {
  options.every = true;
  int step = plant("native", "heddle-link-parallel", Sum::name);
  options.steps.erase(options.steps.begin() + step + 1, options.steps.end());
  expectFound(step);
}

/// A snapshot that crashes or hangs is a finding.
TEST_F(Bisect, ACrash) {
  int step = plant("memory", "heddle-flatten-buffers", Crash::name);
  BisectReport report = run();
  EXPECT_EQ(report.step, step) << report.text;
  EXPECT_THAT(report.text, HasSubstr("after:  crashes"));
}
TEST_F(Bisect, ALoopWithoutEnd) {
  options.seconds = 10;
  int step = plant("memory", "heddle-map-stack", Hang::name);
  options.steps.resize(static_cast<size_t>(step) + 1); // each of its snapshots takes all the time there is
  BisectReport report = run();
  EXPECT_EQ(report.step, step) << report.text;
  EXPECT_THAT(report.text, HasSubstr("after:  does not end within 10 s"));
}
TEST_F(Bisect, APassThatFails) {
  options.keep = folder / "kept";
  int step = plant("loops", "heddle-tile-kernels", Fail::name);
  BisectReport report = run();
  EXPECT_EQ(report.step, step) << report.text;
  EXPECT_THAT(report.text, HasSubstr("after:  the pass fails: this test fails"));
  EXPECT_THAT(folder.get("kept/before.mlir"), HasSubstr("linalg.generic"));
}

} // namespace
