// Reads the size of a buffer from the arithmetic that computes its extents: index operations on an entry's dimension arguments -> a polynomial.
#pragma once
#include "compiler/memory/Polynomial.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {

class SizeReader {
public:
  /// `dimensions`: the arguments that hold the entry's dimensions, in the order of EntryInfo::dimensions.
  explicit SizeReader(mlir::ValueRange dimensions);

  /// Bytes of the buffer: exact, or an upper bound where an extent is divided. Emits an error on the allocation where there is no polynomial.
  mlir::FailureOr<Polynomial> readBytes(mlir::memref::AllocOp alloc) const;

private:
  /// numerator / divisor; with a divisor other than 1 an upper bound, because integer division rounds.
  struct Bound {
    Polynomial numerator;
    int64_t divisor = 1;
  };
  std::optional<Bound> read(mlir::Value extent) const;
  std::optional<Bound> readOperation(mlir::Operation *op) const;
  static std::optional<Bound> add(const Bound &left, const Bound &right);
  static std::optional<Bound> multiply(const Bound &left, const Bound &right);
  static std::optional<Bound> divide(const Bound &left, const Bound &right, bool roundUp);

  llvm::DenseMap<mlir::Value, int64_t> indices;
};

} // namespace heddle
