// Registration of the dialect; the families' code lies in one file each.
#include "dialect/Heddle.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

#include "dialect/Dialect.cpp.inc"
#include "dialect/Enums.cpp.inc"
#include "dialect/Interfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/Attributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Types.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/Ops.cpp.inc"

void HeddleDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Attributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Ops.cpp.inc"
      >();
}

std::string heddle::tokensName(StringRef ragged) { return (ragged + ".tokens").str(); }
