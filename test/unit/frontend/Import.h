// What the tests of the frontend share: a model in a folder of its own, imported, with its messages.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "dialect/Heddle.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

struct Model {
  std::string text;                                                  // of x.heddle, or of model.heddle in a folder
  std::string config;                                                // of config.json; empty: there is none
  std::vector<std::pair<std::string, std::vector<int64_t>>> tensors; // of model.safetensors, zeros; empty: there is none
  std::vector<std::string> settings{};
  std::string weights{};       // empty: the folder
  std::string element = "F32"; // of the tensors in the file
};

struct Imported {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string messages; // as printed
  std::string ir;
};

Imported import(const Model &model);
/// The messages of a model that must be refused.
std::string refusal(const Model &model);
/// The IR of a model that must be taken, without a message that is an error.
std::string accepted(const Model &model);

/// A text with one entry around a body: 30 keys are not needed to see one message. Dimensions batch, sequence (ragged), n_embd 64, n_inner 256.
std::string entryText(const std::string &body, const std::string &functions = "", const std::string &result = "f32[batch, sequence..., n_embd]");

} // namespace heddle::test
