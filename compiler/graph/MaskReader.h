// A tensor of all pairs of an attention, taken apart into what it means: masks of positions, of tokens, slopes times distances. FuseMasks asks.
#pragma once
#include "compiler/graph/PairFormula.h"

namespace heddle {

/// One tensor of pairs of a mask of `consumer`, taken apart.
class MaskReader {
public:
  /// `space` is [batch, query, key] of the consumer; without a batch where it has none.
  MaskReader(mlir::Value values, mlir::Operation *consumer, DimsAttr space) : formula(values), space(space), b(consumer) {}
  /// The masks that take the place of `op`; none where it is best left as it is.
  llvm::SmallVector<mlir::Value> read(MaskTensorOp op);
  llvm::SmallVector<mlir::Value> read(BiasTensorOp op);

private:
  PairFormula formula;
  DimsAttr space;
  mlir::OpBuilder b;
  llvm::SmallVector<mlir::Value> made;
  int budget = 256; // conditions that may still be looked at

  struct Condition {
    Term term;
    bool opposite;
  };
  llvm::SmallVector<Condition> rest; // joined by `and`

  bool fits() const;
  mlir::Type maskType() { return MaskType::get(b.getContext()); }
  template <typename Op, typename... Args> bool make(const Term &at, Args &&...args) {
    made.push_back(Op::create(b, at.view.base.getLoc(), maskType(), std::forward<Args>(args)...));
    return true;
  }
  void readCondition(Condition condition);
  bool isTruth(const Term &term) const;
  bool isTruth(const Term &term, int &steps) const;
  void readTruth(const Term &truth, bool opposite);
  bool readComparedTruth(Condition condition);
  bool readDistances(Condition condition, const DistanceBounds &bounds);
  bool readPrefix(Condition left, Condition right);
  bool readSegments(Condition condition);
  bool readTokens(Condition condition);
  struct Addend {
    Term term;
    bool negative;
  };
  void collectAddends(const Term &term, bool negative, llvm::SmallVector<Addend> &to);
  mlir::Value sumOf(llvm::ArrayRef<Addend> addends, llvm::function_ref<mlir::Value(const Term &)> over);
  bool readAlibi(const Addend &addend);
  bool readChoice(const Term &term);
  llvm::SmallVector<int64_t> keptOf(uint64_t axes) const;
  mlir::Value ofTokens(const Term &term, std::optional<int64_t> axis);
  mlir::Value inverted(mlir::Value condition);
};

} // namespace heddle
