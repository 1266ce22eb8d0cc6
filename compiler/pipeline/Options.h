// What a compilation is asked for: one struct, filled by a tool, read by everybody below. Libraries have no other options and read no environment.
#pragma once
#include "compiler/frontend/Frontend.h"
#include "compiler/support/Progress.h"
#include "compiler/support/Target.h"
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What is done with rewrites of the graph stage beside making them.
struct RewriteOptions {
  /// Each distinct rewrite is run through the interpreter before the compile goes on.
  bool validate = false;
  /// A kind of badRewrites(): every rewrite that it fits is spoiled. Empty: none.
  std::string injectBadRewrite;
};

struct CompileOptions {
  /// The text, its folder, where weights come from, and the configuration values that were set by hand.
  ModelSource source;
  /// What comes out: a name of emitNames(). "exe" is the whole way.
  std::string emit = "exe";
  /// Fusions that are turned off, by the op that they make; "all": every one that kernels do without.
  std::vector<std::string> noFuse;
  RewriteOptions rewrites;
  /// CPU variants, ascending.
  std::vector<const Target *> targets;
  /// The archive that executables are linked with.
  std::string runtimeArchive;
  /// Who compiled: "heddle 0.1.0". Part of the executable.
  std::string compilerVersion;
  /// Told what the work is at; null: nobody.
  Progress *progress = nullptr;
  /// Where the module goes that a stage failed on; empty: nowhere.
  std::string reproducer;
};

} // namespace heddle
