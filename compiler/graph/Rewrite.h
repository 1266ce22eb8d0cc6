// A rewrite as a record: the ops of a formula, the ops that replaced them, the values at the boundary. Cut out of its graph it is two small
// functions, which can be printed, compared and run. Every rewrite of the graph stage is announced as an action of MLIR, to whoever watches the
// context.
#pragma once
#include "mlir/IR/Action.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// `by` is about to take the place of `root`'s result: the formula that ends in `root`, and its replacement, stand side by side. Watchers of the
/// context (MLIRContext::registerActionHandler) may record them; heddle-opt's `--log-actions-to` prints them.
class ReplaceFormula : public mlir::tracing::ActionImpl<ReplaceFormula> {
public:
  ReplaceFormula(llvm::ArrayRef<mlir::IRUnit> units, mlir::Operation *root, mlir::Value &by) : ActionImpl(units), root(root), by(by) {}
  static constexpr llvm::StringLiteral tag = "replace-formula";
  void print(llvm::raw_ostream &os) const override;
  mlir::Operation *root;
  mlir::Value &by;
};

/// Whoever recorded rewrites of this context says now whether they hold (VerifyRewrites asks).
class JudgeRewrites : public mlir::tracing::ActionImpl<JudgeRewrites> {
public:
  JudgeRewrites(llvm::ArrayRef<mlir::IRUnit> units, bool &wrong) : ActionImpl(units), wrong(wrong) {}
  static constexpr llvm::StringLiteral tag = "judge-rewrites";
  bool &wrong;
};

struct Rewrite {
  mlir::Operation *root;
  mlir::Value by;
  llvm::SetVector<mlir::Operation *> matched; // the formula; the root is among them
  llvm::SetVector<mlir::Operation *> made;    // its replacement, as far as it is new
  llvm::SetVector<mlir::Value> boundary;      // what the replacement reads and the formula has too
  llvm::SetVector<mlir::Value> others;        // what the formula alone reads: its products, weights and arguments beyond the boundary
};

/// The replacement's new ops end at values that the formula has too. The formula goes back from its root to these; where it runs past them (which a
/// mask that was dropped does) it goes on through cheap ops only. Masks, views and ops without operands belong to both sides.
Rewrite recordRewrite(mlir::Operation *root, mlir::Value by);

/// `@formula` and `@replacement`: functions of the boundary, the others and the weights, with the rewrite's ops alone. No places and no names of
/// values or weights are left, so that equal rewrites print alike. A weight is an argument: any value will do where the replacement reads the weights
/// that the formula reads; else it carries its recipe (`heddle.recipe`), since the two sides agree for what the recipes make only.
mlir::OwningOpRef<mlir::ModuleOp> functionsOf(const Rewrite &rewrite);

/// Shortens long static axes of such functions that nothing looks along, in both alike; they stay valid and say the same.
void shrinkRewrite(mlir::ModuleOp functions);

} // namespace heddle
