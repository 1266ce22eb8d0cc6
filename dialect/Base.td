// What every family of the dialect builds on.
#ifndef HEDDLE_BASE
#define HEDDLE_BASE
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Heddle_Dialect : Dialect {
  let name = "heddle";
  let cppNamespace = "::heddle";
  let summary = "Transformers as mathematics: named extents, masks as values, weights as recipes";
  let description = [{
    Every tensor carries its extents by name (`#heddle.dims`), so two `?` are known equal or known different. Elementwise mathematics is `arith` and
    `math` on such tensors; `heddle.broadcast` is the one op that changes a shape for them.

    A ragged dimension (`sequence...` in the model text) has a length and a start for each row of its batch. Before the graph stage ops know them by
    the dimension's name; after it, tensors over a ragged dimension `s` are `[s.tokens, ...]`, real tokens only, and the ops that look at rows take
    offsets and starts as operands.

    In formulas `..` stands for any leading axes, `[batch, s, d]` for a tensor of these extents. Each constraint (C1), (C2) .. is an error at the op that says
    what was expected and what it got.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 0;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect"];
}

class Heddle_Op<string mnemonic, list<Trait> traits = []> : Op<Heddle_Dialect, mnemonic, traits>;

// Where the rows of one ragged dimension lie among the tokens, and the position of each row's first token.
def Heddle_Offsets : RankedTensorOf<[I64]>;
def Heddle_Starts : RankedTensorOf<[I64]>;
#endif
