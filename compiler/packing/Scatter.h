// The inner loop of packing: values of a source, in row-major order, each to its own place in the output. Element types are a parameter of the last
// step.
#pragma once
#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle {

/// Element types on the way from a checkpoint to packed bytes.
enum class StoredType { F64, F32, F16, BF16, I32, Bool };
std::optional<StoredType> storedType(mlir::Type type);
int64_t bytesOf(StoredType type);

/// Reads stored elements as doubles (exact for every type above).
void load(StoredType type, const char *from, std::span<double> to);

/// What happens to every value on its way: a number added to it or multiplied by it, in double, then a rounding to the type; or the rounding alone.
struct Step {
  enum Kind { Cast, Add, Scale } kind;
  StoredType type;
  double number = 0;
};

/// Where values come from, in row-major order. False after a message.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  virtual bool fetch(int64_t first, std::span<double> to) = 0;
};

/// Byte offset of each place of one axis; -1: this place is not wanted.
using AxisOffsets = std::vector<int64_t>;

/// Element (i, j, ..) of the source, whose extents are the sizes of `axes`, goes to out + axes[0][i] + axes[1][j] + .. unless one of them is -1. On
/// the way it takes each of `steps`, last one first, then it is stored as `type`. Parts that are not wanted are not read, where they are longer than
/// a piece.
bool scatter(ValueSource &source, const std::vector<AxisOffsets> &axes, std::span<const Step> steps, StoredType type, char *out);

} // namespace heddle
