// Recipes: the closed language that says how a weight is made from checkpoint tensors. Passes edit recipes, never data.
#ifndef HEDDLE_RECIPES
#define HEDDLE_RECIPES
include "dialect/Attributes.td"

// The type a recipe yields (no encoding) comes from `recipeType`; compiler/packing runs recipes.
def Heddle_TensorRecipe : Heddle_Attr<"TensorRecipe", "tensor"> {
  let summary = "a tensor of the checkpoint: #heddle.tensor<\"wte.weight\", tensor<50257x768xf32>>";
  let parameters = (ins "mlir::StringAttr":$name, "mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $name `,` $type `>`";
}
def Heddle_ConstantRecipe : Heddle_Attr<"ConstantRecipe", "constant"> {
  let summary = "numbers of the model text, in double: #heddle.constant<dense<[1.0, 0.5]> : tensor<2xf64>>";
  let parameters = (ins "mlir::DenseElementsAttr":$value);
  let assemblyFormat = "`<` $value `>`";
}
def Heddle_SliceRecipe : Heddle_Attr<"SliceRecipe", "slice"> {
  let summary = "`size` places from `first` on along an axis: #heddle.slice<source, 0, 64, 32>";
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$axis, "int64_t":$first, "int64_t":$size);
  let assemblyFormat = "`<` $source `,` $axis `,` $first `,` $size `>`";
}
def Heddle_ReshapeRecipe : Heddle_Attr<"ReshapeRecipe", "reshape"> {
  let summary = "the same elements in row-major order under another shape: #heddle.reshape<source, [3, 64]>";
  let parameters = (ins "mlir::Attribute":$source, ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` $source `,` `[` $shape `]` `>`";
}
def Heddle_TransposeRecipe : Heddle_Attr<"TransposeRecipe", "transpose"> {
  let summary = "axis i of the result is axis permutation[i] of the source: #heddle.transpose<source, [1, 0]>";
  let parameters = (ins "mlir::Attribute":$source, ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` $source `,` `[` $permutation `]` `>`";
}
def Heddle_ConcatRecipe : Heddle_Attr<"ConcatRecipe", "concat"> {
  let summary = "sources one after the other along an axis: #heddle.concat<1, a, b>";
  let parameters = (ins "int64_t":$axis, ArrayRefParameter<"mlir::Attribute">:$sources);
  let assemblyFormat = "`<` $axis `,` $sources `>`";
}
def Heddle_CastRecipe : Heddle_Attr<"CastRecipe", "cast"> {
  let summary = "each element rounded once to another element type: #heddle.cast<source, f32>";
  let parameters = (ins "mlir::Attribute":$source, "mlir::Type":$element);
  let assemblyFormat = "`<` $source `,` $element `>`";
}
def Heddle_AnglesRecipe : Heddle_Attr<"AnglesRecipe", "angles"> {
  let summary = "sines and cosines of position times frequency: #heddle.angles<[1.0, 0.01], 128, 4, interleaved>";
  let description = [{
    f64 [rows, width], computed in double: row p holds sin(p * f_i) and cos(p * f_i), at columns 2i and 2i + 1 (interleaved) or i and n + i, where n =
    ceil(width / 2) (halves); what lies beyond the width is left out (Vaswani et al. 2017, section 3.5). `cast` rounds it once.
  }];
  let parameters = (ins "mlir::DenseF64ArrayAttr":$frequencies, "int64_t":$rows, "int64_t":$width, EnumParameter<Heddle_PairLayout>:$layout);
  let assemblyFormat = "`<` custom<Frequencies>($frequencies) `,` $rows `,` $width `,` $layout `>`";
}
def Heddle_AddRecipe : Heddle_Attr<"AddRecipe", "add"> {
  let summary = "a number added to each element: #heddle.add<source, 1.0>";
  let parameters = (ins "mlir::Attribute":$source, "mlir::FloatAttr":$number);
  let assemblyFormat = "`<` $source `,` $number `>`";
}
def Heddle_ScaleRecipe : Heddle_Attr<"ScaleRecipe", "scale"> {
  let summary = "each element times a number: #heddle.scale<source, 8.0>";
  let parameters = (ins "mlir::Attribute":$source, "mlir::FloatAttr":$number);
  let assemblyFormat = "`<` $source `,` $number `>`";
}
def Heddle_SelectRecipe : Heddle_Attr<"SelectRecipe", "select"> {
  let summary = "the named places of an axis, in this order, repeats allowed: #heddle.select<source, 0, [0, 0, 1, 2]>";
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$axis, "mlir::DenseI64ArrayAttr":$places);
  let assemblyFormat = "`<` $source `,` $axis `,` $places `>`";
}
def Heddle_PackRecipe : Heddle_Attr<"PackRecipe", "pack"> {
  let summary = "a matrix [K, N] in panels [ceil(N / width), K, width], zeros beyond N: #heddle.pack<source, 32>";
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$width);
  let assemblyFormat = "`<` $source `,` $width `>`";
}
def Heddle_PadRecipe : Heddle_Attr<"PadRecipe", "pad"> {
  let summary = "the last axis padded with zeros to a multiple of the width: #heddle.pad<source, 32>";
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$width);
  let assemblyFormat = "`<` $source `,` $width `>`";
}
#endif
