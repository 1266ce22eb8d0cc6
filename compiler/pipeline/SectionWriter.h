// The bytes of the section `.heddle_weights`, front to back: weights as their recipes make them, then tokenizers. One weight is in memory at a time.
#pragma once
#include "compiler/native/AppendSection.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace heddle {

class SectionWriter {
public:
  /// `tokenizers`: the bytes of each of info.tokenizers, empty where there are none. The context must know the heddle dialect: recipes are parsed in
  /// it.
  SectionWriter(mlir::MLIRContext &context, const ModelInfo &info, const std::vector<std::string> &tokenizers, const Checkpoint *checkpoint,
                Diagnostics &diagnostics)
      : context(context), info(info), tokenizers(tokenizers), checkpoint(checkpoint), diagnostics(diagnostics) {}

  /// All of it, exactly info.sectionBytes. An error without a record in the diagnostics is one of ours.
  llvm::Error write(WriteBytes to);

private:
  llvm::Error padTo(int64_t offset, WriteBytes to);
  llvm::Error writeWeight(const WeightInfo &weight, WriteBytes to);

  mlir::MLIRContext &context;
  const ModelInfo &info;
  const std::vector<std::string> &tokenizers;
  const Checkpoint *checkpoint;
  Diagnostics &diagnostics;
  int64_t position = 0;
};

} // namespace heddle
