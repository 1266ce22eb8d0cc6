// Builds constant C structs in LLVM IR whose every field is 64 bits wide. EmitTable uses it for runtime/heddle_model.h.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include <cassert>

namespace heddle {

/// Every field of the table is an int64_t, a double or a pointer, so a struct's LLVM type follows from the list of its fields.
class TableBuilder {
public:
  using Fields = llvm::SmallVector<llvm::Constant *>;

  explicit TableBuilder(llvm::Module &module) : module(module) {}

  llvm::Constant *integer(int64_t value);
  llvm::Constant *real(double value);
  /// A pointer to the NUL-terminated text; equal texts are one.
  llvm::Constant *string(llvm::StringRef text);
  /// The address of a function that another object defines, hidden there.
  llvm::Constant *function(llvm::StringRef name);

  /// A struct of C type `Struct`.
  template <typename Struct> llvm::Constant *record(const Fields &fields) {
    assert(fields.size() * 8 == sizeof(Struct) && "the table's builder and runtime/heddle_model.h differ");
    return structure(fields);
  }

  /// A pointer to an array of these elements, all of one type; null if there is none. Equal arrays are one.
  llvm::Constant *array(const Fields &elements);

  /// The exported constant itself.
  void define(llvm::StringRef name, llvm::Constant *value);

private:
  llvm::Constant *structure(const Fields &fields);
  llvm::GlobalVariable *privateConstant(llvm::Constant *value);

  llvm::Module &module;
  llvm::StringMap<llvm::Constant *> strings;
  llvm::DenseMap<llvm::Constant *, llvm::Constant *> arrays;
};

} // namespace heddle
