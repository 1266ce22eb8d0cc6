// The first step of a compilation: a model text or a model's folder becomes heddle ops. What follows is the graph stage.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct ModelSource {
  /// A .heddle text, or a folder with config.json: its model.heddle, else the built-in text that has its `model_type` among its names.
  std::string path;
  /// Where weights come from: a folder, or `seed:N`. Empty: the folder of `path`. A text that is given as a file takes the folder's config.json too.
  std::string weights;
  /// KEY=VALUE, over what config.json says.
  std::vector<std::string> settings;
  /// The folder with the built-in texts, at any depth; empty: there are none.
  std::string builtinTexts;
  /// What the expansion of the text may take in all: a million operations take a few dozen steps each.
  int64_t steps = 1 << 25;
};

/// Where the weights of a source come from, with the default filled in: what Checkpoint::open takes.
std::string weightsOf(const ModelSource &source);

/// The folder whose config.json a source takes, where there is one: a folder has its own, a text that of the weights it is built with, else the one
/// beside it.
std::string configurationFolder(const ModelSource &source);

/// The heddle module of a model: weights as heddle.weight with recipes of checkpoint tensors, one func.func for each entry, tasks and tokenizers as
/// attributes. Null with errors in `diagnostics`. Only the header of the checkpoint is read; where there is none, names and extents of weights are
/// not checked against it.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, const ModelSource &source, Diagnostics &diagnostics);

} // namespace heddle
