// Who is called what: the functions, entries, keys and lets of a text and its prelude, checked before anything is expanded.
#pragma once
#include "compiler/frontend/Trace.h"
#include <map>

namespace heddle::frontend {

class Names {
public:
  Names(const syntax::Model &model, const syntax::File &prelude);

  /// Double names, names of built-ins, locals that hide a key, functions that call themselves, `return` anywhere but last.
  bool check(Trace &trace) const;

  const syntax::Model &model() const { return text; }
  /// A function of the text or the prelude; inside the prelude, of the prelude only.
  const syntax::Function *function(const std::string &name, bool inPrelude, bool *fromPrelude) const;
  const syntax::Entry *entry(const std::string &name) const;

  struct ModelName {
    Position at;
    bool isKey;
  };
  /// Keys and lets.
  const std::map<std::string, ModelName> &modelNames() const { return values; }
  /// Everything callable, for suggestions.
  std::vector<std::string> callable() const;

private:
  bool checkFunction(const syntax::Function &function, bool inPrelude, Trace &trace) const;
  bool checkRecursion(Trace &trace) const;

  const syntax::Model &text;
  std::map<std::string, const syntax::Function *> functions, preludeFunctions;
  std::map<std::string, const syntax::Entry *> entries;
  std::map<std::string, ModelName> values;
};

/// `configuration key, line 5`
std::string printOrigin(const Names::ModelName &name);

} // namespace heddle::frontend
