// A builder for kernels of linalg on tensors: the handful of ops that every lowering here emits, at one location.
#pragma once
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace heddle {

struct LinalgBuilder : mlir::OpBuilder {
  mlir::Location loc;
  LinalgBuilder(const mlir::OpBuilder &b, mlir::Location loc) : OpBuilder(b), loc(loc) {}

  template <typename Op, typename... Args> mlir::Value make(Args &&...args) { return Op::create(*this, loc, std::forward<Args>(args)...); }
  mlir::OpFoldResult attr(int64_t v) { return getIndexAttr(v); }
  mlir::Value index(int64_t v) { return mlir::arith::ConstantIndexOp::create(*this, loc, v); }
  mlir::Value number(mlir::Type type, double v) { return mlir::arith::ConstantOp::create(*this, loc, getFloatAttr(type, v)); }
  /// The value of a constant op here, a float rounded to `type`.
  mlir::Value literal(mlir::Operation *constant, mlir::Type type) {
    auto number = mlir::dyn_cast<mlir::FloatAttr>(mlir::cast<mlir::arith::ConstantOp>(constant).getValue());
    return number ? this->number(type, number.getValueAsDouble()) : clone(*constant)->getResult(0);
  }
  mlir::Value truth(bool v) { return mlir::arith::ConstantIntOp::create(*this, loc, v, 1); }
  mlir::Value zero(mlir::Type type) { return mlir::arith::ConstantOp::create(*this, loc, getZeroAttr(type)); }
  mlir::Value lowest(mlir::Type type) { return number(type, -std::numeric_limits<double>::infinity()); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<mlir::arith::AddIOp>(a, b); }
  mlir::Value subtract(mlir::Value a, mlir::Value b) { return make<mlir::arith::SubIOp>(a, b); }
  mlir::Value multiply(mlir::Value a, mlir::Value b) { return make<mlir::arith::MulIOp>(a, b); }
  mlir::Value least(mlir::Value a, mlir::Value b) { return make<mlir::arith::MinSIOp>(a, b); }
  mlir::Value largest(mlir::Value a, mlir::Value b) { return make<mlir::arith::MaxSIOp>(a, b); }
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value a, mlir::Value b) { return make<mlir::arith::CmpIOp>(p, a, b); }
  mlir::Value both(mlir::Value a, mlir::Value b) { return make<mlir::arith::AndIOp>(a, b); }
  mlir::Value choose(mlir::Value condition, mlir::Value a, mlir::Value b) { return make<mlir::arith::SelectOp>(condition, a, b); }
  /// Compare and select, the way a maximum is defined: a where a > b, else b.
  mlir::Value larger(mlir::Value a, mlir::Value b) { return choose(make<mlir::arith::CmpFOp>(mlir::arith::CmpFPredicate::OGT, a, b), a, b); }

  /// `sizes` elements from `offsets` on, unit strides; the result drops leading axes of size 1 down to `rank` axes where rank is given.
  mlir::Value slice(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                    llvm::ArrayRef<mlir::OpFoldResult> strides = {}, int64_t rank = -1);
  mlir::Value insert(mlir::Value part, mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value empty(llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element) { return make<mlir::tensor::EmptyOp>(sizes, element); }
  mlir::Value fill(mlir::Value v, mlir::Value out) { return mlir::linalg::FillOp::create(*this, loc, v, out).getResult(0); }
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange indices) { return make<mlir::tensor::ExtractOp>(tensor, indices); }

  /// The indexing map (d0 .. d<dims>) -> (d<results[0]>, ..).
  mlir::AffineMap map(unsigned dims, llvm::ArrayRef<int64_t> results);
  using Body = llvm::function_ref<mlir::Value(LinalgBuilder &, mlir::ValueRange)>;
  /// A linalg.generic with one result; loops are parallel but for the last `reductions`.
  mlir::Value generic(llvm::ArrayRef<mlir::Value> inputs, mlir::Value out, llvm::ArrayRef<mlir::AffineMap> maps, unsigned reductions, Body body);
  /// In the body of a generic: the position along one of its loops.
  mlir::Value position(int64_t loop) { return make<mlir::linalg::IndexOp>(loop); }
  /// Ends the body of a forall: writes `part` into shared output `output`.
  void yieldSlice(mlir::scf::ForallOp forall, mlir::Value part, llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                  llvm::ArrayRef<mlir::OpFoldResult> strides = {});
};

} // namespace heddle
