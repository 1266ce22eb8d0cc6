// arith and math on tensors.
#include "ReferenceTest.h"

using namespace heddle;

namespace {
class Elementwise : public ReferenceTest {
protected:
  /// One op on f32 vectors.
  Tensor floats(const std::string &op, std::vector<std::vector<double>> operands) {
    std::string signature, names;
    for (size_t i = 0; i < operands.size(); ++i) {
      std::string name = (i ? ", %x" : "%x") + std::to_string(i);
      signature += name + ": tensor<?xf32, #heddle.dims<n>>";
      names += name;
    }
    std::vector<Tensor> tensors;
    for (auto &values : operands)
      tensors.emplace_back(llvm::ArrayRef<int64_t>{static_cast<int64_t>(values.size())}, values);
    return run("func.func @f(" + signature + ") -> tensor<?xf32, #heddle.dims<n>> {\n %r = " + op + " " + names +
                   " : tensor<?xf32, #heddle.dims<n>>\n return %r : tensor<?xf32, #heddle.dims<n>>\n}",
               tensors);
  }
};
} // namespace

TEST_F(Elementwise, arithmetic) {
  expectNear(floats("arith.addf", {{1, -2}, {3, 4}}).data, {4, 2});
  expectNear(floats("arith.subf", {{1, -2}, {3, 4}}).data, {-2, -6});
  expectNear(floats("arith.mulf", {{3, -2}, {3, 4}}).data, {9, -8});
  expectNear(floats("arith.divf", {{3, -2, 0}, {2, 0, 0}}).data, {1.5, -infinity, nan});
  expectNear(floats("arith.remf", {{5.5, -5.5}, {2, 2}}).data, {1.5, -1.5});
  expectNear(floats("arith.negf", {{5.5, 0}}).data, {-5.5, 0});
  expectNear(floats("math.fma", {{2, 3}, {4, 5}, {6, 7}}).data, {14, 22});
}

TEST_F(Elementwise, maximaAndNaN) {
  expectNear(floats("arith.maximumf", {{1, nan, 3}, {2, 0, nan}}).data, {2, nan, nan});
  expectNear(floats("arith.minimumf", {{1, nan, 3}, {2, 0, nan}}).data, {1, nan, nan});
  expectNear(floats("arith.maxnumf", {{1, nan, 3}, {2, 0, nan}}).data, {2, 0, 3});
  expectNear(floats("arith.minnumf", {{1, nan, 3}, {2, 0, nan}}).data, {1, 0, 3});
}

TEST_F(Elementwise, functions) {
  expectNear(floats("math.exp", {{0, 1, -infinity}}).data, {1, std::exp(1.0), 0});
  expectNear(floats("math.log", {{1, 0, -1}}).data, {0, -infinity, nan});
  expectNear(floats("math.sqrt", {{4, -1}}).data, {2, nan});
  expectNear(floats("math.rsqrt", {{4, 0}}).data, {0.5, infinity});
  expectNear(floats("math.sin", {{0, 1}}).data, {0, 0.8414709848078965});
  expectNear(floats("math.cos", {{0, 1}}).data, {1, 0.5403023058681398});
  expectNear(floats("math.absf", {{-2, 3}}).data, {2, 3});
  expectNear(floats("math.floor", {{-1.5, 1.5}}).data, {-2, 1});
  expectNear(floats("math.ceil", {{-1.5, 1.5}}).data, {-1, 2});
  expectNear(floats("math.powf", {{2, 9}, {10, 0.5}}).data, {1024, 3});
}

TEST_F(Elementwise, tanhNeverOverflows) { // B052
  expectNear(floats("math.tanh", {{0, 9.2, -9.2, 45, 52.45, -52.45, 100, infinity, -infinity}}).data, {0, 1, -1, 1, 1, -1, 1, 1, -1}, 1e-7);
}

TEST_F(Elementwise, geluBothForms) { // B034, written out as in a model text
  std::string type = "tensor<?xf32, #heddle.dims<n>>";
  auto constant = [&](const std::string &name, const std::string &value) {
    return "%" + name + "s = arith.constant " + value + " : f32\n%" + name + " = heddle.broadcast %" + name + "s along [] : f32 -> " + type + "\n";
  };
  std::string exact = "func.func @f(%x: " + type + ") -> " + type + " {\n" + constant("half", "0.5") + constant("one", "1.0") +
                      constant("r", "0.70710678118654757") + "%a = arith.mulf %x, %r : " + type + "\n%b = math.erf %a : " + type +
                      "\n%c = arith.addf %b, %one : " + type + "\n%d = arith.mulf %c, %half : " + type + "\n%e = arith.mulf %d, %x : " + type +
                      "\nreturn %e : " + type + "\n}";
  Tensor points({5}, {-3, -1, 0.5, 1, 3});
  expectNear(run(exact, points).data, {-0.0040497, -0.1586553, 0.3457312, 0.8413447, 2.9959503}, 1e-7);
}

TEST_F(Elementwise, geluAndSiluAsOps) { // B034
  auto gelu = [&](const std::string &form, std::vector<double> x) {
    int64_t n = static_cast<int64_t>(x.size());
    return run("func.func @f(%x: tensor<?xf32, #heddle.dims<n>>) -> tensor<?xf32, #heddle.dims<n>> {\n %r = heddle.gelu %x " + form +
                   " : tensor<?xf32, #heddle.dims<n>>\n return %r : tensor<?xf32, #heddle.dims<n>>\n}",
               Tensor({n}, x))
        .data;
  };
  expectNear(gelu("erf", {-3, -1, 0.5, 1, 3}), {-0.0040497, -0.1586553, 0.3457312, 0.8413447, 2.9959503}, 1e-7);
  expectNear(gelu("tanh", {-3, -1, 0.5, 1, 3}), {-0.0036374, -0.1588080, 0.3457140, 0.8411920, 2.9963626}, 1e-7);
  expectNear(gelu("erf", {0, 100, -100, nan}), {0, 100, 0, nan});
  expectNear(gelu("tanh", {0, 100, -100, nan}), {0, 100, 0, nan});
  expectNear(floats("heddle.silu", {{0, 1, -1, 1000, -1000, nan}}).data, {0, 0.7310585786300049, -0.2689414213699951, 1000, 0, nan});
  // B034: quick_gelu(1) = silu(1.702) / 1.702
  EXPECT_NEAR(floats("heddle.silu", {{1.702}}).data[0] / 1.702, 0.8457958, 1e-7);
}

TEST_F(Elementwise, erfAndPowersOfScalarsToo) {
  expectNear(floats("math.erf", {{0, 0.5, -1, 4, infinity}}).data, {0, 0.5204998778130465, -0.8427007929497149, 0.9999999845827421, 1});
  EXPECT_EQ(run("func.func @f(%x: tensor<1xf32, #heddle.dims<1>>) -> tensor<1xf32, #heddle.dims<1>> {\n %c = arith.constant 2.0 : f32\n %g = "
                "heddle.silu %c : f32\n"
                " %r = heddle.broadcast %g along [] : f32 -> tensor<1xf32, #heddle.dims<1>>\n return %r : tensor<1xf32, #heddle.dims<1>>\n}",
                Tensor({1}))
                .data[0],
            2 / (1 + std::exp(-2.0)));
}

TEST_F(Elementwise, comparisonsAndSelect) {
  std::string text = R"(func.func @f(%a: tensor<?xf32, #heddle.dims<n>>, %b: tensor<?xf32, #heddle.dims<n>>) -> tensor<?xf32, #heddle.dims<n>> {
    %c = arith.cmpf ogt, %a, %b : tensor<?xf32, #heddle.dims<n>>
    %r = arith.select %c, %a, %b : tensor<?xi1, #heddle.dims<n>>, tensor<?xf32, #heddle.dims<n>>
    return %r : tensor<?xf32, #heddle.dims<n>>
  })";
  expectNear(run(text, {Tensor({3}, {1, 5, nan}), Tensor({3}, {2, nan, 7})}).data, {2, nan, 7}); // comparisons with NaN are false
  std::string unordered = text;
  unordered.replace(unordered.find("ogt"), 3, "une");
  expectNear(run(unordered, {Tensor({3}, {1, 5, nan}), Tensor({3}, {1, nan, 7})}).data, {1, 5, nan});
}

TEST_F(Elementwise, wholeNumbersWrapAtTheirWidth) {
  auto ints = [&](const std::string &op, std::vector<double> a, std::vector<double> b) {
    return run("func.func @f(%a: tensor<?xi32, #heddle.dims<n>>, %b: tensor<?xi32, #heddle.dims<n>>) -> tensor<?xi32, #heddle.dims<n>> {\n %r = " +
                   op + " %a, %b : tensor<?xi32, #heddle.dims<n>>\n return %r : tensor<?xi32, #heddle.dims<n>>\n}",
               {Tensor({static_cast<int64_t>(a.size())}, a), Tensor({static_cast<int64_t>(b.size())}, b)})
        .data;
  };
  expectNear(ints("arith.addi", {2147483647, -5}, {1, 3}), {-2147483648.0, -2});
  expectNear(ints("arith.muli", {65536, 7}, {65536, -3}), {0, -21});
  expectNear(ints("arith.subi", {-2147483648.0, 1}, {1, 3}), {2147483647, -2});
  expectNear(ints("arith.divsi", {7, -7, -2147483648.0}, {2, 2, -1}), {3, -3, -2147483648.0});
  expectNear(ints("arith.remsi", {7, -7, -2147483648.0}, {2, 2, -1}), {1, -1, 0});
  expectNear(ints("arith.maxsi", {7, -7}, {2, 2}), {7, 2});
  expectNear(ints("arith.andi", {6, -1}, {3, 12}), {2, 12});
}

TEST_F(Elementwise, divisionByZeroIsAMessage) {
  std::string text = R"(func.func @f(%a: tensor<2xi32, #heddle.dims<2>>) -> tensor<2xi32, #heddle.dims<2>> {
    %r = arith.divsi %a, %a : tensor<2xi32, #heddle.dims<2>>
    return %r : tensor<2xi32, #heddle.dims<2>>
  })";
  EXPECT_THAT(refusal(text, Tensor({2}, {1, 0})), testing::HasSubstr("error: 'arith.divsi' division of an int by 0"));
}

TEST_F(Elementwise, boolsAndConversions) {
  std::string text = R"(func.func @f(%a: tensor<?xf32, #heddle.dims<n>>) -> (tensor<?xi1, #heddle.dims<n>>, tensor<?xf32, #heddle.dims<n>>,
      tensor<?xi32, #heddle.dims<n>>) {
    %z = arith.constant 0.0 : f32
    %zero = heddle.broadcast %z along [] : f32 -> tensor<?xf32, #heddle.dims<n>>
    %t = arith.constant true
    %true = heddle.broadcast %t along [] : i1 -> tensor<?xi1, #heddle.dims<n>>
    %p = arith.cmpf ogt, %a, %zero : tensor<?xf32, #heddle.dims<n>>
    %not = arith.xori %p, %true : tensor<?xi1, #heddle.dims<n>>
    %number = arith.uitofp %not : tensor<?xi1, #heddle.dims<n>> to tensor<?xf32, #heddle.dims<n>>
    %whole = arith.fptosi %a : tensor<?xf32, #heddle.dims<n>> to tensor<?xi32, #heddle.dims<n>>
    return %not, %number, %whole : tensor<?xi1, #heddle.dims<n>>, tensor<?xf32, #heddle.dims<n>>, tensor<?xi32, #heddle.dims<n>>
  })";
  auto results = runAll(text, Tensor({5}, {2.9, -2.9, 1e20, -1e20, nan}));
  ASSERT_EQ(results.size(), 3u) << diagnostics.render();
  expectNear(results[0].data, {0, 1, 0, 1, 1});
  expectNear(results[1].data, {0, 1, 0, 1, 1});
  expectNear(results[2].data, {2, -2, 2147483647, -2147483648.0, 0});
}
