// Weights: symbols that hold a recipe, and their uses.
#ifndef HEDDLE_WEIGHTS
#define HEDDLE_WEIGHTS
include "dialect/Recipes.td"

def Heddle_WeightOp : Heddle_Op<"weight", [Symbol]> {
  let summary = "a weight and the recipe that makes it";
  let description = [{
    Code depends on the type alone; the recipe says how compiler/packing makes the bytes from checkpoint tensors.

    - (C1) the recipe is consistent
    - (C2) it yields the shape and element type of the weight

    ```mlir
    heddle.weight @w : tensor<64x24xf32, #heddle.dims<64, 24>> = #heddle.transpose<#heddle.tensor<"w", tensor<24x64xf32>>, [1, 0]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type, AnyAttr:$recipe,
    DefaultValuedAttr<Heddle_StorageAttr, "::heddle::Storage::constant">:$storage);
  let assemblyFormat = "$sym_name `:` $type `=` $recipe attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = "mlir::RankedTensorType getTensorType() { return llvm::cast<mlir::RankedTensorType>(getType()); }";
}

def Heddle_UseOp : Heddle_Op<"use", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a weight";
  let description = [{
    result = the weight of that name, anywhere in the module.

    - (C1) the weight exists
    - (C2) it has the type of the result

    ```mlir
    %w = heddle.use @w : tensor<64x24xf32, #heddle.dims<64, 24>>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}
#endif
