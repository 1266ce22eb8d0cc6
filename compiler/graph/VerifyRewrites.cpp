// Asks whoever recorded the rewrites of this context whether they hold: the pipeline and heddle-opt put a judge there
// (compiler/pipeline/RewriteJudge.h). Runs after the last rewrite, while ragged tensors have their padded form.
#include "compiler/graph/Passes.h"
#include "compiler/graph/Rewrite.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYREWRITES
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace heddle;

namespace {
struct VerifyRewrites : heddle::impl::VerifyRewritesBase<VerifyRewrites> {
  void runOnOperation() override {
    bool wrong = false;
    getContext().executeAction<JudgeRewrites>([] {}, {getOperation().getOperation()}, wrong);
    if (wrong)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
