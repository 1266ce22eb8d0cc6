// From files to the arguments of an entry: which argument a name means, what its array holds, what its rows are.
#pragma once
#include "compiler/reference/Evaluate.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/support/Npy.h"

namespace heddle {

/// The arguments of an entry as the user sees them: without offsets and starts.
struct EntryArgument {
  unsigned number; // among the function's arguments
  std::string name;
  DimsAttr dims;
  mlir::Type element;
  std::string ragged; // name of the ragged dimension, empty if there is none
  bool given = false;
  NpyArray array;
  std::string file; // that the array came from, for messages
};

class EntryArguments {
public:
  EntryArguments(mlir::func::FuncOp entry, Diagnostics &diagnostics);

  /// Reads and checks everything; the status says what kind of refusal there was.
  EvaluateStatus read(const EvaluateRequest &request);
  const Environment &environment() const { return sizes; }
  /// The arguments as tensors, after read().
  std::vector<Tensor> tensors() const;

private:
  EvaluateStatus misused(std::string message, std::string_view name);
  EntryArgument *find(std::string_view name);
  EvaluateStatus readInputs(const EvaluateRequest::Files &files);
  EvaluateStatus readRows(const EvaluateRequest::Files &files, const char *option, std::vector<int64_t> Rows::*which);
  bool refuse(const std::string &place, std::string message);
  bool checkElement(const EntryArgument &argument, const std::string &path);
  bool bindSizes();
  bool fillDefault(EntryArgument &argument);
  bool checkRows();
  bool checkIds(const EntryArgument &argument);

  mlir::func::FuncOp entry;
  Diagnostics &diagnostics;
  std::vector<EntryArgument> arguments;
  Environment sizes;
  std::map<std::string, std::string> lengthFiles, startFiles; // by ragged dimension
};

} // namespace heddle
