// Which text a model has, and where the files beside it lie.
#pragma once
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Syntax.h"
#include <memory>

namespace heddle::frontend {

struct ModelText {
  std::string file;   // the text, as messages name it
  std::string reason; // why this one
  std::string folder; // of config.json and, unless told otherwise, of the weights
  std::string text;
  std::unique_ptr<syntax::File> syntax;
};

/// Finds, reads and parses the text of a model. Null after an error.
std::unique_ptr<ModelText> readModelText(const ModelSource &source, Diagnostics &diagnostics);

/// The folder of a .heddle text, or the folder itself.
std::string modelFolder(const std::string &path);

} // namespace heddle::frontend
