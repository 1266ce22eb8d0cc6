// heddle eval: arrays in and out.
#include "compiler/reference/Evaluate.h"
#include "../support/TemporaryFolder.h"
#include "ReferenceTest.h"
#include "compiler/support/Npy.h"
#include <cstring>

using namespace heddle;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
class Evaluate : public ReferenceTest {
protected:
  void SetUp() override {
    // result[b, i] = table[tokens[b, i]] * (loud ? 2 : 1)
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @encode(%tokens: tensor<?x?xi32, #heddle.dims<batch, s>> {heddle.name = "tokens"},
          %loud: tensor<i1, #heddle.dims<>> {heddle.name = "loud", heddle.default = false}) -> (tensor<?x?xf32, #heddle.dims<batch, s>> {heddle.name = "result"})
          attributes {heddle.entry, heddle.dimensions = [#heddle.dimension<"batch">, #heddle.dimension<"s" over "batch" bound 6>]} {
        %t = heddle.use @table : tensor<3xf32, #heddle.dims<3>>
        %x = heddle.gather %t[%tokens] : tensor<3xf32, #heddle.dims<3>>, tensor<?x?xi32, #heddle.dims<batch, s>> -> tensor<?x?xf32, #heddle.dims<batch, s>>
        %d = arith.addf %x, %x : tensor<?x?xf32, #heddle.dims<batch, s>>
        %c = heddle.broadcast %loud along [] : tensor<i1, #heddle.dims<>> -> tensor<?x?xi1, #heddle.dims<batch, s>>
        %r = arith.select %c, %d, %x : tensor<?x?xi1, #heddle.dims<batch, s>>, tensor<?x?xf32, #heddle.dims<batch, s>>
        return %r : tensor<?x?xf32, #heddle.dims<batch, s>>
      }
      heddle.weight @table : tensor<3xf32, #heddle.dims<3>> = #heddle.cast<#heddle.constant<dense<[10.0, 20.0, 30.0]> : tensor<3xf64>>, f32>)",
                                                     mlir::ParserConfig(&context));
    ASSERT_TRUE(module);
    request.entry = "encode";
    request.outputs = {{"result", folder / "r.npy"}};
  }

  template <class T> std::string file(std::string name, ElementType element, std::vector<int64_t> shape, std::vector<T> values) {
    NpyArray array{element, shape, std::vector<char>(values.size() * sizeof(T))};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    EXPECT_TRUE(writeNpy(folder / name, array, diagnostics));
    return folder / name;
  }
  std::string ids(std::vector<int64_t> shape, std::vector<int32_t> values) { return file("ids.npy", ElementType::I32, shape, values); }

  EvaluateStatus evaluate() { return evaluateFiles(*module, request, nullptr, diagnostics); }
  std::vector<float> result() {
    EXPECT_EQ(evaluate(), EvaluateStatus::Done) << diagnostics.render();
    auto array = readNpy(folder / "r.npy", diagnostics);
    std::vector<float> values(array ? array->data.size() / 4 : 0);
    if (array)
      std::memcpy(values.data(), array->data.data(), array->data.size());
    return values;
  }
  void refused(EvaluateStatus status, std::string message) {
    diagnostics = {};
    EXPECT_EQ(evaluate(), status);
    EXPECT_THAT(diagnostics.render(), HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(folder / "r.npy"));
  }

  TemporaryFolder folder;
  EvaluateRequest request;
};
} // namespace

TEST_F(Evaluate, readsRunsWrites) {
  request.inputs = {{"tokens", ids({2, 2}, {0, 1, 2, 77})}};
  request.lengths = {{"tokens", file<int32_t>("l.npy", ElementType::I32, {2}, {2, 1})}};
  EXPECT_THAT(result(), ElementsAre(10, 20, 30, 0)); // the id 77 lies beyond the length: nobody looks at it
}

TEST_F(Evaluate, takesInt64IdsAndScalars) {
  request.inputs = {{"tokens", file<int64_t>("ids.npy", ElementType::I64, {1, 2}, {1, 0})}, {"loud", "true"}};
  EXPECT_THAT(result(), ElementsAre(40, 20));
  request.inputs[1].second = file<char>("b.npy", ElementType::Bool, {}, {0});
  EXPECT_THAT(result(), ElementsAre(20, 10));
}

TEST_F(Evaluate, refusesWrongArrays) {
  request.inputs = {{"tokens", file<float>("f.npy", ElementType::F32, {1, 1}, {0})}};
  refused(EvaluateStatus::Refused, "f.npy: error: argument 'tokens': expected elements of int32, got F32");
  request.inputs = {{"tokens", ids({2}, {0, 1})}};
  refused(EvaluateStatus::Refused, "argument 'tokens': expected 2 axes, got [2]");
  request.inputs = {{"tokens", ids({2, 0}, {})}};
  refused(EvaluateStatus::Refused, "argument 'tokens': the width of 's' is 0, expected at least 1");
  request.inputs = {{"tokens", folder / "none.npy"}};
  refused(EvaluateStatus::Refused, "none.npy: error: cannot open");
}

TEST_F(Evaluate, refusesIdsOutsideTheTable) {
  request.inputs = {{"tokens", ids({2, 2}, {0, 1, 3, 0})}};
  refused(EvaluateStatus::Refused, "argument 'tokens', row 1, column 0: id 3 is not within 0 to 2");
  request.inputs = {{"tokens", file<int64_t>("ids.npy", ElementType::I64, {1, 1}, {int64_t(1) << 40})}};
  refused(EvaluateStatus::Refused, "id 1099511627776 is not within 0 to 2");
}

TEST_F(Evaluate, refusesRowsThatDoNotFit) {
  request.inputs = {{"tokens", ids({2, 2}, {0, 1, 2, 0})}};
  auto rows = [&](std::vector<int32_t> lengths, std::vector<int32_t> starts) {
    request.lengths = {{"tokens", file("l.npy", ElementType::I32, {static_cast<int64_t>(lengths.size())}, lengths)}};
    request.starts = {{"tokens", file("s.npy", ElementType::I32, {static_cast<int64_t>(starts.size())}, starts)}};
  };
  rows({1, 3}, {0, 0});
  refused(EvaluateStatus::Refused, "'s', row 1: length 3 is not within the width 2");
  rows({1, -1}, {0, 0});
  refused(EvaluateStatus::Refused, "'s', row 1: length -1 is not within the width 2");
  rows({1, 1}, {-1, 0});
  refused(EvaluateStatus::Refused, "'s', row 0: start -1 is not a position");
  rows({1, 1}, {0, 6});
  refused(EvaluateStatus::Refused, "'s', row 1: start 6 and length 1 pass the bound 6");
  rows({1}, {0, 0});
  refused(EvaluateStatus::Refused, "--lengths tokens: expected int32 [2], got I32 [1]");
}

TEST_F(Evaluate, misuse) {
  request.inputs = {{"tokens", ids({1, 1}, {0})}, {"token", "x.npy"}};
  refused(EvaluateStatus::Misused, "error: entry 'encode' has no argument 'token'\nnote: did you mean 'tokens'?\n");
  request.inputs = {{"tokens", ids({1, 1}, {0})}, {"tokens", ids({1, 1}, {0})}};
  refused(EvaluateStatus::Misused, "argument 'tokens' is given twice");
  request.inputs = {};
  refused(EvaluateStatus::Misused, "argument 'tokens' of entry 'encode' is missing: give --in tokens=FILE.npy");
  request.inputs = {{"tokens", ids({1, 1}, {0})}};
  request.lengths = {{"loud", "l.npy"}};
  refused(EvaluateStatus::Misused, "--lengths: argument 'loud' has no ragged dimension");
  request.lengths = {};
  request.outputs = {{"results", folder / "r.npy"}};
  refused(EvaluateStatus::Misused, "entry 'encode' has no result 'results'\nnote: the results are: result\n");
  request.outputs = {};
  refused(EvaluateStatus::Misused, "no result is asked for: give --out NAME=FILE.npy");
  request.entry = "encod";
  refused(EvaluateStatus::Misused, "unknown entry 'encod'\nnote: did you mean 'encode'?\n");
}
