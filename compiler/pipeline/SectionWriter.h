// The bytes of the section `.heddle_weights`, front to back: weights as their recipes make them, tokenizers, checks, a checksum. One weight is in
// memory at a time.
#pragma once
#include "compiler/native/AppendSection.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/checksum.h"
#include <string>
#include <vector>

namespace heddle {

/// The section of all that is placed so far, and the checksum behind it.
void closeSection(ModelInfo &info);

class SectionWriter {
public:
  /// `tokenizers`: the bytes of each of info.tokenizers, empty where there are none; `checks`: those of info.checks. The context must know the heddle
  /// dialect: recipes are parsed in it.
  SectionWriter(mlir::MLIRContext &context, const ModelInfo &info, const std::vector<std::string> &tokenizers, const std::vector<std::string> &checks,
                const Checkpoint *checkpoint, Diagnostics &diagnostics)
      : context(context), info(info), tokenizers(tokenizers), checks(checks), checkpoint(checkpoint), diagnostics(diagnostics) {}

  /// All of it, exactly info.sectionBytes. An error without a record in the diagnostics is one of ours.
  llvm::Error write(WriteBytes to);

private:
  llvm::Error put(llvm::StringRef bytes, WriteBytes to);
  llvm::Error padTo(int64_t offset, WriteBytes to);
  llvm::Error writeWeight(const WeightInfo &weight, WriteBytes to);

  mlir::MLIRContext &context;
  const ModelInfo &info;
  const std::vector<std::string> &tokenizers, &checks;
  const Checkpoint *checkpoint;
  Diagnostics &diagnostics;
  int64_t position = 0;
  heddle_checksum sum = {};
};

} // namespace heddle
