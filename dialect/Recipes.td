// Recipes: the closed language that says how a weight is made from checkpoint tensors. Passes edit recipes, never data.
#ifndef HEDDLE_RECIPES
#define HEDDLE_RECIPES
include "dialect/Attributes.td"

// The type a recipe yields (no encoding) comes from `recipeType`; compiler/packing runs recipes.
def Heddle_TensorRecipe : Heddle_Attr<"TensorRecipe", "tensor"> {
  let summary = "a tensor of the checkpoint";
  let description = [{
    Its name in the file, after any `prefix`, and the type stored there. The shape is static and has no encoding.

    ```mlir
    #heddle.tensor<"wte.weight", tensor<50257x768xf32>>
    ```
  }];
  let parameters = (ins "mlir::StringAttr":$name, "mlir::RankedTensorType":$type);
  let assemblyFormat = "`<` $name `,` $type `>`";
}
def Heddle_ConstantRecipe : Heddle_Attr<"ConstantRecipe", "constant"> {
  let summary = "numbers of the model text, in double";
  let description = [{
    What a text computes when compiling (`iota`, `tensor`) and hands to the machine; `cast` rounds it once.

    ```mlir
    #heddle.constant<dense<[1.0, 0.5]> : tensor<2xf64>>
    ```
  }];
  let parameters = (ins "mlir::DenseElementsAttr":$value);
  let assemblyFormat = "`<` $value `>`";
}
def Heddle_SliceRecipe : Heddle_Attr<"SliceRecipe", "slice"> {
  let summary = "`size` places from `first` on along an axis";
  let description = [{
    Error: the axis or the places are not within the source.

    ```mlir
    #heddle.slice<#heddle.tensor<"w", tensor<4x6xf32>>, 1, 2, 3>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$axis, "int64_t":$first, "int64_t":$size);
  let assemblyFormat = "`<` $source `,` $axis `,` $first `,` $size `>`";
}
def Heddle_ReshapeRecipe : Heddle_Attr<"ReshapeRecipe", "reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Error: the shape has another number of elements.

    ```mlir
    #heddle.reshape<#heddle.tensor<"w", tensor<4x6xf32>>, [2, 2, 6]>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = "`<` $source `,` custom<Shape>($shape) `>`"; // a number has the shape []
}
def Heddle_TransposeRecipe : Heddle_Attr<"TransposeRecipe", "transpose"> {
  let summary = "axis i of the result is axis permutation[i] of the source";
  let description = [{
    Error: the permutation does not have each axis once.

    ```mlir
    #heddle.transpose<#heddle.tensor<"w", tensor<4x6xf32>>, [1, 0]>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, ArrayRefParameter<"int64_t">:$permutation);
  let assemblyFormat = "`<` $source `,` `[` $permutation `]` `>`";
}
def Heddle_ConcatRecipe : Heddle_Attr<"ConcatRecipe", "concat"> {
  let summary = "sources one after the other along an axis";
  let description = [{
    How q, k and v become one matrix. Error: no source, no such axis, or sources that differ in type or in another axis.

    ```mlir
    #heddle.concat<1, #heddle.tensor<"w", tensor<4x6xf32>>, #heddle.tensor<"v", tensor<4x2xf32>>>
    ```
  }];
  let parameters = (ins "int64_t":$axis, ArrayRefParameter<"mlir::Attribute">:$sources);
  let assemblyFormat = "`<` $axis `,` $sources `>`";
}
def Heddle_CastRecipe : Heddle_Attr<"CastRecipe", "cast"> {
  let summary = "each element rounded once to another element type";
  let description = [{
    f16 and bf16 checkpoints become f32, doubles of the text too. To the nearest, ties to even.

    ```mlir
    #heddle.cast<#heddle.tensor<"w", tensor<4x6xbf16>>, f32>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "mlir::Type":$element);
  let assemblyFormat = "`<` $source `,` $element `>`";
}
def Heddle_AnglesRecipe : Heddle_Attr<"AnglesRecipe", "angles"> {
  let summary = "sines and cosines of position times frequency";
  let description = [{
    f64 [rows, width], computed in double: row p holds sin(p * f_i) and cos(p * f_i), at columns 2i and 2i + 1 (interleaved) or i and n + i, where n =
    ceil(width / 2) (halves); what lies beyond the width is left out (Vaswani et al. 2017, section 3.5). `cast` rounds it once.
    Error: no row, or a width that is not 1 to twice the number of frequencies.

    ```mlir
    #heddle.angles<[1.0, 0.01], 128, 4, interleaved>
    ```
  }];
  let parameters = (ins "mlir::DenseF64ArrayAttr":$frequencies, "int64_t":$rows, "int64_t":$width, EnumParameter<Heddle_PairLayout>:$layout);
  let assemblyFormat = "`<` custom<Frequencies>($frequencies) `,` $rows `,` $width `,` $layout `>`";
}
def Heddle_AddRecipe : Heddle_Attr<"AddRecipe", "add"> {
  let summary = "a number added to each element";
  let description = [{
    A gain of `1 + weight`, for one. Computed in double, rounded once to the element type.

    ```mlir
    #heddle.add<#heddle.tensor<"w", tensor<4x6xf32>>, 1.0>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "mlir::FloatAttr":$number);
  let assemblyFormat = "`<` $source `,` $number `>`";
}
def Heddle_ScaleRecipe : Heddle_Attr<"ScaleRecipe", "scale"> {
  let summary = "each element times a number";
  let description = [{
    A factor of the text folded into the weight. Computed in double, rounded once to the element type.

    ```mlir
    #heddle.scale<#heddle.tensor<"w", tensor<4x6xf32>>, 8.0>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "mlir::FloatAttr":$number);
  let assemblyFormat = "`<` $source `,` $number `>`";
}
def Heddle_SelectRecipe : Heddle_Attr<"SelectRecipe", "select"> {
  let summary = "the named places of an axis, in this order, repeats allowed";
  let description = [{
    How the buckets of a table of relative distances are laid out by distance. Error: no place, or one that is not within the source.

    ```mlir
    #heddle.select<#heddle.tensor<"w", tensor<4x6xf32>>, 0, [0, 0, 1, 3]>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$axis, "mlir::DenseI64ArrayAttr":$places);
  let assemblyFormat = "`<` $source `,` $axis `,` $places `>`";
}
def Heddle_PackRecipe : Heddle_Attr<"PackRecipe", "pack"> {
  let summary = "a matrix [K, N] in panels [ceil(N / width), K, width]";
  let description = [{
    What a product reads: element [p, k, j] is source[k, p * width + j], 0 beyond N. Error: the source is no matrix, or the width is below 1.

    ```mlir
    #heddle.pack<#heddle.tensor<"w", tensor<4x6xf32>>, 32>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$width);
  let assemblyFormat = "`<` $source `,` $width `>`";
}
def Heddle_PadRecipe : Heddle_Attr<"PadRecipe", "pad"> {
  let summary = "the last axis padded with zeros to a multiple of the width";
  let description = [{
    The rows of vectors and tables, as long as those of activations. Error: the width is below 1.

    ```mlir
    #heddle.pad<#heddle.tensor<"w", tensor<4x6xf32>>, 32>
    ```
  }];
  let parameters = (ins "mlir::Attribute":$source, "int64_t":$width);
  let assemblyFormat = "`<` $source `,` $width `>`";
}
#endif
