#include "compiler/linalg/HeadBuffer.h"

using namespace mlir;
using namespace heddle;

std::optional<HeadBuffer> HeadBuffer::of(LinalgBuilder &b, const KernelLowering &kernel, Value operand) {
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
