// Where expansion stands: the calls on the way, for messages and for the locations of ops.
#pragma once
#include "compiler/frontend/Syntax.h"
#include "compiler/frontend/Value.h"
#include "compiler/support/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <set>

namespace heddle::frontend {

using syntax::Position;

class Trace {
public:
  /// `budget`: the steps that spend() gives out.
  Trace(mlir::MLIRContext *context, std::string file, int64_t budget, Diagnostics &diagnostics)
      : context(context), file(std::move(file)), budget(budget), diagnostics(diagnostics) {}

  struct Call {
    std::string function;
    Position at;            // in the caller
    bool inPrelude = false; // whether the function called is one of the prelude
    std::vector<std::pair<std::string, Value>> arguments;
    mlir::Location location; // of the call
  };
  /// Enters a function; the matching `leave` follows.
  void enter(std::string function, Position at, bool inPrelude, std::vector<std::pair<std::string, Value>> arguments);
  void leave() { calls.pop_back(); }
  size_t depth() const { return calls.size(); }

  /// An error at a place of the function that is being expanded, with the remedies as notes and one more note for each call on the way. Inside the
  /// prelude the place is that of the call in the text. What repeats in every turn of a loop is reported once.
  void error(Position at, std::string message, const std::vector<std::string> &remedies = {});
  /// The same, as the value of an expression.
  Value fail(Position at, std::string message, const std::vector<std::string> &remedies = {}) {
    error(at, std::move(message), remedies);
    return Failed();
  }
  /// Whether an error at this place, on this way of calls, has been reported.
  bool wasReported(Position at) const { return reported.contains(way(at)); }
  /// Takes from the work a text may ask for in all; false (reported once) when it is used up. A loop in a loop in a loop ends here.
  bool spend(Position at, int64_t amount = 1);
  bool hasErrors() const { return diagnostics.hasErrors(); }

  /// The place in the text, wrapped in the places of the calls.
  mlir::Location location(Position at) const;
  Place place(Position at) const { return {file, at.line, at.column}; }
  const std::string &textFile() const { return file; }
  Diagnostics &all() { return diagnostics; }

private:
  std::vector<Position> way(Position at) const;
  /// How many calls stand around the innermost function that is not of the prelude.
  size_t outsidePrelude() const;

  mlir::MLIRContext *context;
  std::string file;
  int64_t budget;
  Diagnostics &diagnostics;
  std::vector<Call> calls;
  std::set<std::vector<Position>> reported;
  int64_t spent = 0;
};

} // namespace heddle::frontend
