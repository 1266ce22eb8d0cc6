// Tokenizers against entries.
#include "compiler/pipeline/CheckTokenizers.h"
#include "compiler/packing/Tokenizer.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace heddle;

namespace {

/// The tokenizer that serves a side, as the runtime chooses it: its own, else the one for both. -1: none.
int64_t tokenizerOf(const ModelInfo &info, const std::vector<std::string> &packed, llvm::StringRef side) {
  int64_t found = -1;
  for (auto [i, tokenizer] : llvm::enumerate(info.tokenizers))
    if (!packed[i].empty() && (tokenizer.side == side || (tokenizer.side == "both" && found < 0)))
      found = static_cast<int64_t>(i);
  return found;
}

const EntryInfo *entryOf(const ModelInfo &info, llvm::StringRef name) {
  auto found = llvm::find_if(info.entries, [&](const EntryInfo &entry) { return entry.name == name; });
  return found == info.entries.end() ? nullptr : &*found;
}

/// The last extent of a value where it is a number, else 0.
int64_t lastExtent(const ValueInfo &value) {
  if (value.extents.empty() || value.extents.back().size() != 1 || !value.extents.back().front().dimensions.empty())
    return 0;
  return value.extents.back().front().coefficient;
}

} // namespace

bool heddle::checkTokenizers(const ModelInfo &info, const std::vector<std::string> &packed, Diagnostics &diagnostics) {
  int64_t source = tokenizerOf(info, packed, "source"), target = tokenizerOf(info, packed, "target");
  for (const TaskInfo &task : info.tasks) {
    const EntryInfo *first = entryOf(info, task.entries.front()), *last = entryOf(info, task.entries.back());
    if (source >= 0 && first && !first->arguments.empty() && first->arguments[0].element == Element::I32) {
      int64_t ids = idsOfTokenizer(packed[source]), rows = first->arguments[0].idBound;
      if (rows > 0 && ids > rows) {
        diagnostics.error({info.tokenizers[source].path, 0, 0}, fmt::format("the tokenizer has ids up to {}, but '{}' of entry '{}' takes 0 to {}",
                                                                            ids - 1, first->arguments[0].name, first->name, rows - 1));
        return false;
      }
    }
    bool choosesIds = task.kind == "translate" || task.kind == "generate";
    int64_t writer = task.kind == "translate" ? target : source;
    if (writer >= 0 && choosesIds && last && !last->results.empty()) {
      int64_t ids = idsOfTokenizer(packed[writer]), scores = lastExtent(last->results[0]);
      if (ids < scores)
        diagnostics.note({info.tokenizers[writer].path, 0, 0},
                         fmt::format("the tokenizer has ids up to {}, but entry '{}' gives scores up to {}; those beyond print as nothing", ids - 1,
                                     last->name, scores - 1));
    }
  }
  return true;
}
