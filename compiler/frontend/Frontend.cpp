// importModel: text, configuration, checkpoint header, expansion, in this order.
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Expander.h"
#include "compiler/frontend/ModelText.h"
#include "compiler/frontend/Parser.h"
#include "compiler/frontend/Prelude.h"
#include "compiler/support/File.h"
#include "compiler/support/WeightFiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include <filesystem>
#include <fmt/format.h>

namespace heddle {

using namespace frontend;
namespace fs = std::filesystem;

std::string weightsOf(const ModelSource &source) { return source.weights.empty() ? modelFolder(source.path) : source.weights; }

/// The checkpoint whose header weights are checked against. Null without an error where nobody named one and there is none.
static std::unique_ptr<Checkpoint> openCheckpoint(const ModelSource &source, Diagnostics &diagnostics) {
  if (source.weights.empty() && !WeightFiles::areIn(weightsOf(source)))
    return nullptr;
  return Checkpoint::open(weightsOf(source), diagnostics);
}

std::string configurationFolder(const ModelSource &source) {
  std::error_code unreadable;
  bool besideWeights = !fs::is_directory(source.path, unreadable) && isThere((fs::path(source.weights) / "config.json").string());
  return !source.weights.empty() && besideWeights ? source.weights : modelFolder(source.path);
}

/// A tokenizer's file stands beside the weights, else beside config.json. One that is missing is a note; ids still work then.
static void placeTokenizers(mlir::ModuleOp module, const std::vector<std::string> &folders, Diagnostics &diagnostics) {
  mlir::Builder builder(module.getContext());
  llvm::SmallVector<mlir::Attribute> found;
  for (mlir::Attribute attribute : module->getAttrOfType<mlir::ArrayAttr>(tokenizersAttr)) {
    mlir::NamedAttrList fields(mlir::cast<mlir::DictionaryAttr>(attribute));
    std::string name = mlir::cast<mlir::StringAttr>(fields.get("path")).str();
    std::string path;
    for (const std::string &folder : folders)
      if (std::string candidate = (fs::path(folder) / name).string(); path.empty() && isThere(candidate))
        path = candidate;
    if (path.empty()) {
      diagnostics.note({(fs::path(folders.front()) / name).string(), 0, 0}, "the tokenizer's file is missing; ids still work");
      continue;
    }
    fields.set("path", builder.getStringAttr(path));
    found.push_back(fields.getDictionary(module.getContext()));
  }
  module->setAttr(tokenizersAttr, builder.getArrayAttr(found));
}

mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, const ModelSource &source, Diagnostics &diagnostics) {
  context.loadDialect<HeddleDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::func::FuncDialect>();
  std::unique_ptr<ModelText> text = readModelText(source, diagnostics);
  if (!text)
    return {};
  std::unique_ptr<syntax::File> prelude = syntax::parseText(preludeText, "prelude.heddle", diagnostics);
  std::optional<Configuration> configuration = Configuration::load(configurationFolder(source), source.settings, diagnostics);
  if (!prelude || !configuration)
    return {};
  std::unique_ptr<Checkpoint> checkpoint = openCheckpoint(source, diagnostics);
  if (diagnostics.hasErrors())
    return {};

  const syntax::Model &model = *text->syntax->model;
  Trace trace(&context, text->file, source.steps, diagnostics);
  Names names(model, *prelude);
  if (!names.check(trace))
    return {};
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context, text->file, model.at.line, model.at.column));
  mlir::OpBuilder builder(&context);
  std::set<std::string> entries;
  for (const syntax::Entry &entry : model.entries)
    entries.insert(entry.function.name);
  Weights weights(*module, checkpoint.get(), model.prefixes, entries, trace);
  Emitter emitter(builder, weights, trace);
  Expander expander(names, *configuration, weights, emitter, trace);
  if (!expander.checkSettings())
    return {};
  expander.evaluateModel();
  expander.expandEntries(*module);
  expander.describeTasks(*module);
  if (diagnostics.hasErrors())
    return {};
  module->getOperation()->setAttr(nameAttr, builder.getStringAttr(model.names.front()));
  module->getOperation()->setAttr(documentationAttr, builder.getStringAttr(model.documentation));
  std::vector<std::string> folders{text->folder};
  if (checkpoint && !checkpoint->isSeeded())
    folders.insert(folders.begin(), modelFolder(weightsOf(source)));
  placeTokenizers(*module, folders, diagnostics);
  weights.noteUnused(diagnostics);
  if (mlir::failed(mlir::verify(*module))) {
    diagnostics.error({text->file, 0, 0}, "internal error: the text became ops that do not verify");
    return {};
  }
  return module;
}

} // namespace heddle
