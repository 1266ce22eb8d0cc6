// What the compiler knows of each CPU variant: the numbers that tune code. Numbers that decide bits stand in BitSizes.h.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace heddle {

/// Columns of a weight panel, and the multiple to which rows of activations are padded: 128 bytes of f32, the same for every x86 target, so that
/// packed weights serve all of them.
inline constexpr int64_t panelColumns = 32;
/// Rows of a register tile at most, over all targets: chunks of rows overlap by up to this many.
inline constexpr int64_t mostTileRows = 8;
/// Whole register tiles of every target: the multiple of which chunks of rows are.
inline constexpr int64_t rowMultiple = 24;
/// Rows a parallel task of a matrix product takes at most, and their bytes where panels are held: the rows stay in L2 while panels pass, a panel and
/// the next one beside them (measured at M = 512: 128 rows of 768 are 1.5 points ahead of 256; in blocks of k 256 are 2 points ahead of 128).
inline constexpr int64_t rowChunk = 264, heldRowBytes = 512 << 10;
/// Whether a panel of so many k is held in L2 as a whole. A larger one is multiplied in blocks of k (BitSizes.h), one after the other over all rows
/// of the task: a block, 64 KB, stays in L2 meanwhile (20 points at K = 8192; where panels are held it costs 1).
inline constexpr bool isHeldPanel(int64_t depth) { return depth * panelColumns * 4 <= 128 << 10; }
/// Rows of a panel that are fetched ahead where there are fewer rows than a register tile, in k: 16 KB.
inline constexpr int64_t fetchDistance = 128;
/// Least k between two fetches of what a register tile writes and of its residuals: in shorter products there is no time for them.
inline constexpr int64_t shortestFetchPeriod = 16;
/// Queries of a tile of attention, and of a task at most: each block of keys is copied once for so many. A task takes a `queryChunks`-th of the queries,
/// but at least half of the most (256 are 2 points ahead of 128 from 512 tokens on, 512 are 3 ahead of 256 at 8192, where keys come from memory). The
/// queries of a task, and their outputs, are at most so many floats each: they wait in L2 beside the copied keys and values.
inline constexpr int64_t queryTile = 8;
inline constexpr int64_t queryChunk = 512, queryChunks = 16;
inline constexpr int64_t queryChunkFloats = 32768;

struct Target {
  llvm::StringLiteral cpu;    // LLVM's name of the CPU
  llvm::StringLiteral suffix; // of this variant's symbols
  int64_t level;              // the least x86-64 level that runs it
  /// Register tile of a matrix product: 6x16 leaves 4 of 16 AVX2 registers for operands, 8x32 is 16 of 32 AVX-512 registers (notes: 96 to 100 % of
  /// peak).
  int64_t tileRows, tileColumns;
  bool hasScale; // instructions that split sixteen or eight f32 at whole numbers and scale them (vreduceps, vscalefps): seven of 32 operations of exp less
  /// Vectors of sixteen on which a function is computed side by side: their temporaries and its constants fit the registers.
  int64_t functionsAtOnce;
};

/// All CPU variants, ascending.
llvm::ArrayRef<Target> allTargets();
/// The variant with this CPU name, or null.
const Target *findTarget(llvm::StringRef cpu);

} // namespace heddle
