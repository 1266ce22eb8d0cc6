// One run-time context: the mapped section, the arena and the thread pool. Compiled code only hands its address on.
#pragma once
#include "runtime/Array.h"
#include "runtime/Pool.h"
#include "runtime/Section.h"
#include "runtime/heddle_model.h"

namespace heddle::runtime {
class Profile;
}

struct heddle_context {
  const heddle_model_table *model = nullptr;
  const heddle_variant *variant = nullptr; // chosen for this CPU
  heddle::runtime::Section section;
  heddle::runtime::Pages arena;
  heddle::runtime::Pool pool;
  heddle::runtime::Profile *profile = nullptr; // of the call that runs, if anybody asked for one

  /// Maps the section of the executable at `path` and checks that the table's offsets lie inside it. The pool is started apart, once the input is
  /// known good.
  bool open(const heddle_model_table &table, const char *path, heddle::runtime::Failure &failure);
};
