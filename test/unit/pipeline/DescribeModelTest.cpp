// One description for all CPU variants: the larger arena, places without folders, and no agreement where there is none.
#include "compiler/pipeline/DescribeModel.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace heddle;

namespace {

struct DescribeModel : testing::Test {
  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;

  static ModelInfo model(Form arena) {
    ModelInfo info;
    info.name = "tiny";
    EntryInfo entry;
    entry.name = "forward";
    entry.arena = std::move(arena);
    info.entries = {entry};
    info.kernels = {{"k0", "models/tiny/model.heddle:3:7"}};
    return info;
  }
  mlir::ModuleOp add(const ModelInfo &info) {
    modules.push_back(mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))));
    writeModelInfo(*modules.back(), info);
    return *modules.back();
  }
};

TEST_F(DescribeModel, TakesTheLargerCoefficientOfEachProduct) {
  auto shared = describeModel({add(model({{64, {0}}, {128, {}}})), add(model({{32, {0}}, {256, {}}, {4, {0, 1}}}))});
  ASSERT_TRUE(shared);
  const Form &arena = shared->entries[0].arena;
  ASSERT_EQ(arena.size(), 3u);
  EXPECT_EQ(arena[0].coefficient, 64);
  EXPECT_EQ(arena[1].coefficient, 256);
  EXPECT_EQ(arena[2].coefficient, 4);
  EXPECT_EQ(arena[2].dimensions, (std::vector<int64_t>{0, 1}));
}

/// An executable does not depend on where its source lay.
TEST_F(DescribeModel, DropsFolders) { EXPECT_EQ(describeModel({add(model({}))})->kernels[0].place, "model.heddle:3:7"); }

TEST_F(DescribeModel, VariantsHaveTheSameKernels) {
  ModelInfo other = model({});
  other.kernels.push_back({"k1", "model.heddle:4:1"});
  EXPECT_FALSE(describeModel({add(model({})), add(other)}));
}

TEST_F(DescribeModel, AModuleWithoutDescriptionHasNone) {
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  modules.push_back(mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))));
  EXPECT_FALSE(describeModel({*modules.back()}));
}

} // namespace
