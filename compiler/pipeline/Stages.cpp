// The table of stages, in the order data flows.
#include "compiler/pipeline/Stages.h"
#include "compiler/graph/Passes.h"
#include "compiler/linalg/Passes.h"
#include "compiler/loops/Passes.h"
#include "compiler/memory/Passes.h"
#include "compiler/native/Passes.h"

using namespace mlir;

static constexpr heddle::Stage table[] = {
    {"graph", "graph", "shapes, recipes, ragged tokens", false, [](OpPassManager &pm, const heddle::Target *) { heddle::buildGraphStage(pm); }},
    {"linalg", "linalg", "kernels of linalg on tensors", false, [](OpPassManager &pm, const heddle::Target *) { heddle::buildLinalgStage(pm); }},
    {"loops", "loops", "tiles, vectors, parallel regions", true,
     [](OpPassManager &pm, const heddle::Target *target) { heddle::buildLoopsStage(pm, *target); }},
    {"memory", "memory", "buffers in one arena", true, [](OpPassManager &pm, const heddle::Target *) { heddle::buildMemoryStage(pm); }},
    {"native", "llvm", "the LLVM dialect", true, [](OpPassManager &pm, const heddle::Target *) { heddle::buildNativeStage(pm); }},
};

ArrayRef<heddle::Stage> heddle::stages() { return table; }

std::vector<StringRef> heddle::emitNames() {
  std::vector<StringRef> names{"heddle"};
  for (const Stage &stage : table)
    names.push_back(stage.emit);
  names.insert(names.end(), {"asm", "obj", "exe"});
  return names;
}

void heddle::registerStages() {
  registerGraphStage();
  registerLinalgStage();
  registerLoopsStage();
  registerMemoryStage();
  registerNativeStage();
}
