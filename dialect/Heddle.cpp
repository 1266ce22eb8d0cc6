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

// `[1.0, 0.01]` with every bit of each number: MLIR's own form of an f64 array has 7 digits, and recipes reach the packer as text.
static void printFrequencies(AsmPrinter &printer, DenseF64ArrayAttr frequencies) {
  printer << '[';
  llvm::interleaveComma(frequencies.asArrayRef(), printer, [&](double frequency) { printer.printFloat(APFloat(frequency)); });
  printer << ']';
}
static void printFrequencies(OpAsmPrinter &printer, Operation *, DenseF64ArrayAttr frequencies) { printFrequencies(printer, frequencies); }
static ParseResult parseFrequencies(AsmParser &parser, DenseF64ArrayAttr &frequencies) {
  SmallVector<double> numbers;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parser.parseFloat(numbers.emplace_back()); }))
    return failure();
  frequencies = DenseF64ArrayAttr::get(parser.getContext(), numbers);
  return success();
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  printer << '[';
  llvm::interleaveComma(shape, printer);
  printer << ']';
}
static ParseResult parseShape(AsmParser &parser, SmallVector<int64_t> &shape) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parser.parseInteger(shape.emplace_back()); });
}

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
