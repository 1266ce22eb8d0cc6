// Named extents and the dimensions of an entry.
#ifndef HEDDLE_ATTRIBUTES
#define HEDDLE_ATTRIBUTES
include "dialect/Base.td"

class Heddle_Attr<string name, string mnemonicName, list<Trait> traits = []> : AttrDef<Heddle_Dialect, name, traits> {
  let mnemonic = mnemonicName;
}

def Heddle_DimsAttr : Heddle_Attr<"Dims", "dims", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "extents of a tensor, as expressions over named dimensions";
  let description = [{
    `tensor<?x?x768xf32, #heddle.dims<batch, sequence, 768>>`: extent i of the tensor is expression i. The form is canonical: `names` is sorted and has no
    unused entry, each expression is simplified. So `past + sequence` and `sequence + past` are one attribute, and equal extents are equal pointers.
    A static extent is a number and agrees with the shape; every other extent is `?` in the shape. Both are checked wherever a type is parsed.

    Errors: another number of extents than axes; an extent that does not agree with the shape; a product of two names; a division by less than 1.

    ```mlir
    #heddle.dims<batch, past + sequence, 768>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$names, "mlir::AffineMap":$map);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// From expressions whose symbol i is names[i]; names may be unsorted, repeated or unused.
    static DimsAttr getCanonical(mlir::MLIRContext *, llvm::ArrayRef<mlir::StringAttr> names, llvm::ArrayRef<mlir::AffineExpr> extents);
    /// One extent that is the dimension `name`.
    static DimsAttr named(mlir::MLIRContext *, llvm::StringRef name);
    /// Static extents.
    static DimsAttr fixed(mlir::MLIRContext *, llvm::ArrayRef<int64_t> extents);

    int64_t getRank() const { return getMap().getNumResults(); }
    /// The extents at these positions, in this order.
    DimsAttr select(llvm::ArrayRef<int64_t> positions) const;
    DimsAttr extent(int64_t position) const { return select({position}); }
    DimsAttr dropFront(int64_t count = 1) const;
    DimsAttr dropBack(int64_t count = 1) const;
    DimsAttr without(int64_t position) const;
    DimsAttr concat(DimsAttr other) const;
    bool isStatic(int64_t position) const { return llvm::isa<mlir::AffineConstantExpr>(getMap().getResult(position)); }
    /// The name of an extent that is one dimension and nothing else, or null.
    mlir::StringAttr nameOf(int64_t position) const;
    /// The position of the extent that is exactly the dimension `name`, if there is one.
    std::optional<int64_t> find(llvm::StringRef name) const;
    /// The tensor shape these extents have: numbers, and `?` for the rest.
    llvm::SmallVector<int64_t> shape() const;
    /// The extent of the offsets of a batch's rows: of one extent, one more.
    DimsAttr offsets() const;
    /// The product of all extents, as one extent.
    DimsAttr product() const;
    mlir::RankedTensorType tensorOf(mlir::Type element) const { return mlir::RankedTensorType::get(shape(), element, *this); }
  }];
}

def Heddle_DimensionAttr : Heddle_Attr<"Dimension", "dimension"> {
  let summary = "a dimension that an entry declares";
  let description = [{
    `#heddle.dimension<"batch">`, or ragged: `#heddle.dimension<"source" over "batch" bound 128>`: every row of `batch` has its own length and start in
    `source`; start + length is at most the bound (0: no bound). Entries list theirs in the attribute `heddle.dimensions`, in order of first mention.

    ```mlir
    #heddle.dimension<"source" over "batch" bound 128>
    ```
  }];
  let parameters = (ins "mlir::StringAttr":$name, OptionalParameter<"mlir::StringAttr">:$batch, DefaultValuedParameter<"int64_t", "0">:$bound);
  let assemblyFormat = "`<` $name (`over` $batch^)? (`bound` $bound^)? `>`";
  let extraClassDeclaration = [{
    bool isRagged() const { return static_cast<bool>(getBatch()); }
  }];
}

def Heddle_LayoutInterleaved : I32EnumAttrCase<"interleaved", 0>;
def Heddle_LayoutHalves : I32EnumAttrCase<"halves", 1>;
def Heddle_PairLayout : I32EnumAttr<"PairLayout", "where the two channels of one frequency lie", [Heddle_LayoutInterleaved, Heddle_LayoutHalves]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_PairLayoutAttr : EnumAttr<Heddle_Dialect, Heddle_PairLayout, "layout"> {
  let description = [{
    interleaved: channels 2i and 2i + 1; halves: channels i and n + i of 2n. In an op or recipe the word alone.

    ```mlir
    #heddle<layout halves>
    ```
  }];
}

def Heddle_StorageConstant : I32EnumAttrCase<"constant", 0>;
def Heddle_StorageParameter : I32EnumAttrCase<"parameter", 1>;
def Heddle_Storage : I32EnumAttr<"Storage", "whether training may change a weight", [Heddle_StorageConstant, Heddle_StorageParameter]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}
def Heddle_StorageAttr : EnumAttr<Heddle_Dialect, Heddle_Storage, "storage"> {
  let description = [{
    constant: never changed after packing; parameter: training may change it.

    ```mlir
    #heddle.storage<parameter>
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}
#endif
