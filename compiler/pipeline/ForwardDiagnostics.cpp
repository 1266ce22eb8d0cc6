// What passes say through MLIR becomes records for the user.
#include "compiler/pipeline/ForwardDiagnostics.h"

using namespace mlir;

static void forward(mlir::Diagnostic &diagnostic, heddle::Diagnostics &diagnostics) {
  std::string message = diagnostic.str();
  if (StringRef(message).starts_with("Failures have been detected while processing an MLIR pass pipeline"))
    return; // that a reproducer was written: Compilation says so where it is of use
  heddle::Place place = heddle::placeOf(diagnostic.getLocation());
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  heddle::Diagnostic &record = isError ? diagnostics.error(place, message) : diagnostics.note(place, message);
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string text = note.str();
    if (StringRef(text).contains('\n') || StringRef(text).starts_with("see current operation")) // IR helps us, not the user; the reproducer has it
      continue;
    record.note(heddle::placeOf(note.getLocation()), text);
  }
}

heddle::ForwardDiagnostics::ForwardDiagnostics(MLIRContext *context, Diagnostics &diagnostics)
    : handler(context, [&diagnostics](mlir::Diagnostic &diagnostic) { forward(diagnostic, diagnostics); }) {}
