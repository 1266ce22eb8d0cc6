// Watches a context for rewrites (ReplaceFormula): records each distinct pair of formula and replacement, and says where VerifyRewrites asks whether
// they compute the same. It may also spoil them on purpose, to see that it notices.
#pragma once
#include "compiler/pipeline/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace mlir::tracing {
class Action;
}

namespace heddle {

struct BadRewrite;
class ReplaceFormula;

class RewriteJudge {
public:
  /// `options.injectBadRewrite` is a known kind, or empty.
  explicit RewriteJudge(const RewriteOptions &options);
  /// From now on, as long as the context lives, which this outlives.
  void watch(mlir::MLIRContext &context);

  /// Empty, or that the kind to inject met no rewrite, and which one it needs.
  std::string unmet() const;
  /// The first wrong pair, as a module with the functions @formula and @replacement; empty if there was none.
  const std::string &evidence() const { return wrong; }

private:
  struct Pair {
    std::string text; // the module of the two functions
    std::string what; // "heddle-fuse-attention: 'heddle.matmul' was replaced by 'heddle.attention'"
    mlir::Location place;
  };
  void see(llvm::function_ref<void()> act, const mlir::tracing::Action &action);
  void record(const ReplaceFormula &replace);
  bool isWrong(const Pair &pair);

  bool validates;
  const BadRewrite *bad;
  unsigned spoiled = 0;
  std::string pass; // that runs on the module now
  llvm::StringSet<> known;
  std::vector<Pair> pending;
  std::string wrong;
};

} // namespace heddle
