// Runs weight recipes. A recipe is followed from its result down to its sources, carrying along where each element of the result belongs: for each
// axis a table of byte offsets, whose sum over the axes is the element's place in the output. Slices, transposes, concatenations, panels and most
// reshapes only change these tables, so the sources are read once, in pieces, and each element is written once.
#include "compiler/packing/Recipe.h"
#include "compiler/packing/Scatter.h"
#include "compiler/support/Checkpoint.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Shape.h"
#include "dialect/Heddle.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace heddle {

namespace {

/// Values of a tensor of the checkpoint.
class TensorSource : public ValueSource {
public:
  TensorSource(const Checkpoint &checkpoint, TensorRecipeAttr recipe, Diagnostics &diagnostics)
      : checkpoint(checkpoint), recipe(recipe), diagnostics(diagnostics) {}
  bool fetch(int64_t first, std::span<double> to) override {
    floats.resize(to.size());
    if (!checkpoint.read(recipe.getName().getValue(), recipe.getType().getShape(), first, floats, diagnostics))
      return false;
    std::copy(floats.begin(), floats.end(), to.begin());
    return true;
  }

private:
  const Checkpoint &checkpoint;
  TensorRecipeAttr recipe;
  Diagnostics &diagnostics;
  std::vector<float> floats;
};

/// Numbers of the model text.
class ConstantSource : public ValueSource {
public:
  explicit ConstantSource(DenseElementsAttr value) : value(value) {}
  bool fetch(int64_t first, std::span<double> to) override {
    Type element = value.getElementType();
    if (element.isF64())
      copy(value.getValues<double>(), first, to);
    else if (element.isF32())
      copy(value.getValues<float>(), first, to);
    else if (element.isInteger(32))
      copy(value.getValues<int32_t>(), first, to);
    else
      copy(value.getValues<bool>(), first, to);
    return true;
  }

private:
  template <class Range> static void copy(Range range, int64_t first, std::span<double> to) {
    auto from = range.begin() + first;
    for (double &number : to)
      number = static_cast<double>(*from++);
  }
  DenseElementsAttr value;
};

/// Sines and cosines of row times frequency.
class AnglesSource : public ValueSource {
public:
  explicit AnglesSource(AnglesRecipeAttr recipe) : recipe(recipe) {}
  bool fetch(int64_t first, std::span<double> to) override {
    int64_t width = recipe.getWidth(), half = (width + 1) / 2;
    bool halves = recipe.getLayout() == PairLayout::halves;
    for (double &value : to) {
      int64_t row = first / width, column = first % width;
      int64_t pair = halves ? column % half : column / 2;
      double angle = static_cast<double>(row) * recipe.getFrequencies()[pair];
      bool isSine = halves ? column < half : column % 2 == 0;
      value = isSine ? std::sin(angle) : std::cos(angle);
      ++first;
    }
    return true;
  }

private:
  AnglesRecipeAttr recipe;
};

/// A result held in memory as it would stand in the output.
class BufferSource : public ValueSource {
public:
  BufferSource(std::span<const char> bytes, StoredType type) : bytes(bytes), type(type) {}
  bool fetch(int64_t first, std::span<double> to) override {
    load(type, bytes.data() + first * bytesOf(type), to);
    return true;
  }

private:
  std::span<const char> bytes;
  StoredType type;
};

/// Places of one axis of a result held in memory, in any order, repeats included.
class SelectSource : public ValueSource {
public:
  SelectSource(BufferSource &whole, ArrayRef<int64_t> shape, SelectRecipeAttr recipe)
      : whole(whole), places(recipe.getPlaces()), extent(shape[recipe.getAxis()]) {
    for (int64_t size : shape.drop_front(recipe.getAxis() + 1))
      inner *= size;
  }
  bool fetch(int64_t first, std::span<double> to) override {
    for (double &value : to) {
      int64_t place = places[first / inner % static_cast<int64_t>(places.size())], outer = first / inner / static_cast<int64_t>(places.size());
      whole.fetch((outer * extent + place) * inner + first % inner, {&value, 1});
      ++first;
    }
    return true;
  }

private:
  BufferSource &whole;
  ArrayRef<int64_t> places;
  int64_t extent, inner = 1;
};

/// The tables of a contiguous row-major array.
std::vector<AxisOffsets> rowMajor(ArrayRef<int64_t> shape, int64_t stride) {
  std::vector<AxisOffsets> axes(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    for (int64_t i = 0; i < shape[axis]; ++i)
      axes[axis].push_back(i * stride);
    stride *= shape[axis];
  }
  return axes;
}

/// One table for two axes of the result that are one axis of the source; `size` places of it exist, the rest is padding.
AxisOffsets merged(const AxisOffsets &outer, const AxisOffsets &inner, int64_t size) {
  AxisOffsets table;
  for (int64_t a : outer)
    for (int64_t b : inner)
      if (static_cast<int64_t>(table.size()) < size)
        table.push_back(a < 0 || b < 0 ? -1 : a + b);
  return table;
}

/// Cuts the table of one axis into that of its outer `extent` places and the rest, if each offset is a sum of the two.
bool split(AxisOffsets &rest, int64_t extent, AxisOffsets &outer) {
  int64_t size = static_cast<int64_t>(rest.size()), inner = size / extent;
  if (size % extent || (inner > 1 && llvm::any_of(rest, [](int64_t offset) { return offset < 0; })))
    return false;
  for (int64_t i = 0; i < size; ++i)
    if (inner > 1 && rest[i] != rest[i / inner * inner] + rest[i % inner] - rest[0])
      return false;
  for (int64_t i = 0; i < size; i += inner)
    outer.push_back(rest[i]);
  rest.resize(inner);
  for (int64_t first = rest[0]; int64_t &offset : rest)
    offset -= first;
  return true;
}

class Runner {
public:
  Runner(const Checkpoint *checkpoint, std::span<char> out, StoredType type, Diagnostics &diagnostics)
      : checkpoint(checkpoint), out(out), type(type), diagnostics(diagnostics) {}

  /// Writes the elements of `recipe` to the places in `axes`, after the `steps` (innermost last).
  bool run(Attribute recipe, std::vector<AxisOffsets> axes) {
    for (const AxisOffsets &axis : axes)
      if (llvm::all_of(axis, [](int64_t offset) { return offset < 0; }))
        return true; // a slice took nothing of this part
    return llvm::TypeSwitch<Attribute, bool>(recipe)
        .Case([&](TensorRecipeAttr r) {
          TensorSource source(*checkpoint, r, diagnostics);
          return checkpoint->isSeeded() && elementType(r) != StoredType::F32 ? rounded(source, r, axes) : write(source, axes);
        })
        .Case([&](ConstantRecipeAttr r) {
          ConstantSource source(r.getValue());
          return write(source, axes);
        })
        .Case([&](AnglesRecipeAttr r) {
          AnglesSource source(r);
          return write(source, axes);
        })
        .Case([&](SliceRecipeAttr r) { return slice(r, std::move(axes)); })
        .Case([&](ReshapeRecipeAttr r) { return reshape(r, axes); })
        .Case([&](TransposeRecipeAttr r) {
          std::vector<AxisOffsets> turned(axes.size());
          for (auto [to, from] : llvm::enumerate(r.getPermutation()))
            turned[from] = std::move(axes[to]);
          return run(r.getSource(), std::move(turned));
        })
        .Case([&](ConcatRecipeAttr r) { return concat(r, axes); })
        .Case([&](CastRecipeAttr r) { return after({Step::Cast, *storedType(r.getElement())}, r.getSource(), std::move(axes)); })
        .Case([&](AddRecipeAttr r) { return after({Step::Add, elementType(r), r.getNumber().getValueAsDouble()}, r.getSource(), std::move(axes)); })
        .Case(
            [&](ScaleRecipeAttr r) { return after({Step::Scale, elementType(r), r.getNumber().getValueAsDouble()}, r.getSource(), std::move(axes)); })
        .Case([&](SelectRecipeAttr r) { return select(r, std::move(axes)); })
        .Case([&](PackRecipeAttr r) { // [panel, k, lane] -> [k, n]
          int64_t columns = recipeType(r.getSource()).getDimSize(1);
          std::vector<AxisOffsets> matrix{std::move(axes[1]), merged(axes[0], axes[2], columns)};
          return run(r.getSource(), std::move(matrix));
        })
        .Case([&](PadRecipeAttr r) {
          axes.back().resize(recipeType(r.getSource()).getShape().back());
          return run(r.getSource(), std::move(axes));
        })
        .Default([](Attribute) { return false; });
  }

private:
  static StoredType elementType(Attribute recipe) { return *storedType(recipeType(recipe).getElementType()); }

  bool write(ValueSource &source, const std::vector<AxisOffsets> &axes) { return scatter(source, axes, steps, type, out.data()); }

  bool after(Step step, Attribute recipe, std::vector<AxisOffsets> axes) {
    steps.push_back(step);
    bool fine = run(recipe, std::move(axes));
    steps.pop_back();
    return fine;
  }

  /// Made-up numbers are what the element type can hold; those of a file are that already.
  bool rounded(ValueSource &source, TensorRecipeAttr recipe, const std::vector<AxisOffsets> &axes) {
    steps.push_back({Step::Cast, elementType(recipe)});
    bool fine = write(source, axes);
    steps.pop_back();
    return fine;
  }

  bool slice(SliceRecipeAttr recipe, std::vector<AxisOffsets> axes) {
    AxisOffsets whole(recipeType(recipe.getSource()).getDimSize(recipe.getAxis()), -1);
    llvm::copy(axes[recipe.getAxis()], whole.begin() + recipe.getFirst());
    axes[recipe.getAxis()] = std::move(whole);
    return run(recipe.getSource(), std::move(axes));
  }

  /// Each place of the source belongs to one of the result, unless places repeat: then they are read from memory.
  bool select(SelectRecipeAttr recipe, std::vector<AxisOffsets> axes) {
    RankedTensorType source = recipeType(recipe.getSource());
    AxisOffsets whole(source.getDimSize(recipe.getAxis()), -1);
    std::vector<bool> taken(whole.size(), false);
    for (auto [place, offset] : llvm::zip(recipe.getPlaces().asArrayRef(), axes[recipe.getAxis()])) {
      if (taken[place])
        return selectRepeated(recipe, source, axes);
      taken[place] = true;
      whole[place] = offset;
    }
    axes[recipe.getAxis()] = std::move(whole);
    return run(recipe.getSource(), std::move(axes));
  }

  bool selectRepeated(SelectRecipeAttr recipe, RankedTensorType made, const std::vector<AxisOffsets> &axes) {
    StoredType stored = *storedType(made.getElementType());
    auto buffer = inMemory(recipe.getSource(), made, stored);
    if (!buffer)
      return false;
    BufferSource whole(*buffer, stored);
    SelectSource source(whole, made.getShape(), recipe);
    return write(source, axes);
  }

  bool concat(ConcatRecipeAttr recipe, const std::vector<AxisOffsets> &axes) {
    int64_t first = 0;
    for (Attribute part : recipe.getSources()) {
      int64_t size = recipeType(part).getDimSize(recipe.getAxis());
      std::vector<AxisOffsets> own = axes;
      const AxisOffsets &all = axes[recipe.getAxis()];
      own[recipe.getAxis()] = AxisOffsets(all.begin() + first, all.begin() + first + size);
      if (!run(part, std::move(own)))
        return false;
      first += size;
    }
    return true;
  }

  /// Source axes that are parts of a result axis, or several of them, get tables of their own wherever places are sums; panels cut in odd pieces are
  /// not. Then the source is made in memory and read from there.
  bool reshape(ReshapeRecipeAttr recipe, const std::vector<AxisOffsets> &axes) {
    RankedTensorType source = recipeType(recipe.getSource());
    std::vector<AxisOffsets> tables;
    AxisOffsets rest{0};
    size_t next = 0;
    for (int64_t extent : source.getShape()) {
      while (static_cast<int64_t>(rest.size()) < extent)
        rest = merged(rest, axes[next++], INT64_MAX);
      AxisOffsets table;
      if (!split(rest, extent, table))
        return throughMemory(recipe.getSource(), source, axes);
      tables.push_back(std::move(table));
    }
    for (; next < axes.size(); ++next) // extents of 1 at the end
      rest[0] += axes[next][0];
    if (tables.empty())
      return throughMemory(recipe.getSource(), source, axes);
    for (int64_t &offset : tables.back())
      offset = offset < 0 ? offset : offset + rest[0];
    return run(recipe.getSource(), std::move(tables));
  }

  bool throughMemory(Attribute recipe, RankedTensorType made, const std::vector<AxisOffsets> &axes) {
    StoredType stored = *storedType(made.getElementType());
    auto buffer = inMemory(recipe, made, stored);
    if (!buffer)
      return false;
    BufferSource source(*buffer, stored);
    return write(source, axes);
  }

  std::optional<std::vector<char>> inMemory(Attribute recipe, RankedTensorType made, StoredType stored) {
    std::vector<char> buffer(*byteCount(made.getShape(), bytesOf(stored)));
    bool fine = Runner(checkpoint, buffer, stored, diagnostics).run(recipe, rowMajor(made.getShape(), bytesOf(stored)));
    return fine ? std::optional(std::move(buffer)) : std::nullopt;
  }

  const Checkpoint *checkpoint;
  std::span<char> out;
  StoredType type;
  Diagnostics &diagnostics;
  std::vector<Step> steps;
};

/// The element types that tensors of a checkpoint may have.
std::optional<ElementType> inFile(StoredType type) {
  switch (type) {
  case StoredType::F32:
    return ElementType::F32;
  case StoredType::F16:
    return ElementType::F16;
  case StoredType::BF16:
    return ElementType::BF16;
  default:
    return std::nullopt;
  }
}

/// Every element type on the way can be held, every tensor is there: asked before anything is allocated or written.
bool canRun(Attribute recipe, const Checkpoint *checkpoint, Diagnostics &diagnostics) {
  auto fail = [&](std::string message) {
    diagnostics.error({checkpoint ? checkpoint->source() : "", 0, 0}, std::move(message));
    return false;
  };
  std::string type;
  llvm::raw_string_ostream(type) << recipeType(recipe).getElementType();
  auto stored = storedType(recipeType(recipe).getElementType());
  if (!stored)
    return fail(fmt::format("weights of element type {} are not built yet", type));
  auto all = [&](auto sources) { return llvm::all_of(sources, [&](Attribute source) { return canRun(source, checkpoint, diagnostics); }); };
  return llvm::TypeSwitch<Attribute, bool>(recipe)
      .Case([&](TensorRecipeAttr r) {
        std::string name = r.getName().str();
        if (!checkpoint)
          return fail(fmt::format("tensor '{}' is needed, and no weights are given", name));
        auto element = inFile(*stored);
        if (!element)
          return fail(fmt::format("tensor '{}': weights of element type {} are not built yet", name, type));
        return checkpoint->holds(name, r.getType().getShape(), *element, diagnostics);
      })
      .Case([&](ConcatRecipeAttr r) { return all(r.getSources()); })
      .Case<SliceRecipeAttr, ReshapeRecipeAttr, TransposeRecipeAttr, CastRecipeAttr, AddRecipeAttr, ScaleRecipeAttr, SelectRecipeAttr, PackRecipeAttr,
            PadRecipeAttr>([&](auto r) { return all(ArrayRef<Attribute>(r.getSource())); })
      .Default([](Attribute) { return true; });
}
} // namespace

std::optional<int64_t> recipeBytes(Attribute recipe, Diagnostics &diagnostics) {
  auto fail = [&](std::string message) {
    diagnostics.error({}, std::move(message));
    return std::nullopt;
  };
  std::string why;
  RankedTensorType type = recipeType(recipe, &why);
  if (!type)
    return fail(fmt::format("inconsistent recipe: {}", why));
  auto stored = storedType(type.getElementType());
  if (!stored || *stored == StoredType::F16 || *stored == StoredType::BF16) { // nothing computes in 16 bits yet: a cast stands around such tensors
    std::string name;
    llvm::raw_string_ostream(name) << type.getElementType();
    return fail(fmt::format("weights of element type {} are not built yet", name));
  }
  auto bytes = byteCount(type.getShape(), bytesOf(*stored));
  return bytes ? bytes : fail(fmt::format("a weight of shape {} passes 2^63 bytes", shapeText(type.getShape())));
}

bool runRecipe(Attribute recipe, const Checkpoint *checkpoint, std::span<char> out, Diagnostics &diagnostics) {
  auto bytes = recipeBytes(recipe, diagnostics);
  if (!bytes || !canRun(recipe, checkpoint, diagnostics))
    return false;
  assert(static_cast<uint64_t>(*bytes) == out.size() && "the output has the size of the recipe");
  RankedTensorType made = recipeType(recipe);
  StoredType type = *storedType(made.getElementType());
  std::memset(out.data(), 0, out.size()); // padding
  return Runner(checkpoint, out, type, diagnostics).run(recipe, rowMajor(made.getShape(), bytesOf(type)));
}

} // namespace heddle
