// Where attention finds its queries, keys and values, and puts its outputs: heads of tokens in buffers of several layouts.
#pragma once
#include "compiler/linalg/KernelLowering.h"

namespace heddle {

/// An operand [tokens, heads, width] in its buffer.
struct HeadBuffer {
  mlir::Value tensor;
  int64_t rowsPerToken, headRows, headColumns, first, width;
  int64_t batchRows = 0;       // rows of a batch row beyond its tokens
  mlir::Value padding = {};    // tokens of each batch row with its padding, in an array of the caller's
  mlir::Value batchShift = {}; // batchRows times the batch row, once that is known
  mlir::Value firstToken = {}; // of the batch row among padded ones, once that is known

  /// Nothing where the operand is no view of such heads.
  static std::optional<HeadBuffer> of(LinalgBuilder &b, const KernelLowering &kernel, mlir::Value operand);
  void setBatch(LinalgBuilder &b, mlir::Value batch) {
    if (padding)
      firstToken = b.multiply(batch, padding);
    if (batchRows)
      batchShift = b.multiply(batch, b.index(batchRows));
  }
  /// Token `index` of a batch row whose first one is `offset` among rows of tokens.
  mlir::Value tokenAt(LinalgBuilder &b, mlir::Value offset, mlir::Value index) const { return b.add(firstToken ? firstToken : offset, index); }
  mlir::Value rowAt(LinalgBuilder &b, mlir::Value token, mlir::Value head) const {
    mlir::Value row = rowsPerToken == 1 ? token : b.multiply(token, b.index(rowsPerToken));
    if (headRows)
      row = b.add(row, b.multiply(head, b.index(headRows)));
    return batchShift ? b.add(row, batchShift) : row;
  }
  mlir::Value columnAt(LinalgBuilder &b, mlir::Value head) const { return b.add(b.multiply(head, b.index(headColumns)), b.index(first)); }
};

} // namespace heddle
