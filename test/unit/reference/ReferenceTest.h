// Runs functions of heddle ops, written as text, through the interpreter.
#pragma once
#include "compiler/reference/Interpreter.h"
#include "compiler/support/Checkpoint.h"
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {

class ReferenceTest : public testing::Test {
protected:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  ReferenceTest() { context.loadDialect<HeddleDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::func::FuncDialect>(); }

  /// The results of the function @f of a module.
  std::vector<Tensor> runAll(const std::string &text, llvm::ArrayRef<Tensor> arguments, const Environment &environment = {},
                             const Checkpoint *checkpoint = nullptr) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    EXPECT_TRUE(module) << text;
    auto results = evaluateEntry(module->lookupSymbol<mlir::func::FuncOp>("f"), arguments, environment, checkpoint, diagnostics);
    return results ? *results : std::vector<Tensor>();
  }
  Tensor run(const std::string &text, llvm::ArrayRef<Tensor> arguments, const Environment &environment = {}) {
    auto results = runAll(text, arguments, environment);
    EXPECT_EQ(results.size(), 1u) << diagnostics.render();
    return results.empty() ? Tensor() : results.front();
  }
  /// The message of a run that must be refused.
  std::string refusal(const std::string &text, llvm::ArrayRef<Tensor> arguments, const Environment &environment = {}) {
    EXPECT_TRUE(runAll(text, arguments, environment).empty());
    return diagnostics.render();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Diagnostics diagnostics;
};

/// Elements equal, NaN to NaN, within `tolerance`.
inline void expectNear(llvm::ArrayRef<double> got, llvm::ArrayRef<double> expected, double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i]))
      EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) << "element " << i << ": " << got[i];
    else
      EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
  }
}

/// 0, 1, 2 ... in this shape.
inline Tensor counting(llvm::ArrayRef<int64_t> shape) {
  Tensor tensor(shape);
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.data[i] = static_cast<double>(i);
  return tensor;
}

/// Scattered values in (-2, 2), the same on every machine.
inline Tensor scattered(llvm::ArrayRef<int64_t> shape, uint64_t seed = 1) {
  Tensor tensor(shape);
  std::vector<int64_t> extents(shape.begin(), shape.end());
  SeededTensor numbers(seed, "any", std::vector<int64_t>{1, 1});
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.data[i] = numbers.element(i);
  return tensor;
}

} // namespace heddle
