// What the threads of a warp have of an attention, and how they multiply it.
#pragma once

#include "dialects/Rank/AttentionShape.h"
#include "lib/Conversion/FroeToElements/Elements.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <array>
#include <memory>

namespace froe {

constexpr int64_t kAttentionWarps = 4, kAttentionRowsPerWarp = 16;

/// 16 rows x n columns are dealt out as tensor cores deal them (PTX ISA, mma.m16n8k16): of every 8 columns a thread has
/// two neighbours, in two rows 8 apart: `values[4 * t + 2 * i + c]` is row i, column 8 * t + 2 * pair + c.
using Fragment = llvm::SmallVector<mlir::Value>;

/// Where a thread stands.
struct AttentionThread {
  mlir::Value thread, warp; ///< in the block
  mlir::Value group, pair;  ///< its first row among those of its warp, 0 to 7; its pair of columns, 0 to 3
};

/// The products of a block. Tiles of keys and values lie in shared memory, row by row, as words of 32 bits.
class AttentionProducts {
public:
  static std::unique_ptr<AttentionProducts> create(const rank::AttentionShape &shape, Elements &elements,
                                                   mlir::gpu::GPUFuncOp function, const AttentionThread &thread);
  virtual ~AttentionProducts() = default;

  /// Keys of a tile.
  virtual int64_t tileKeys() const = 0;
  /// A word of shared memory: i32, two halves, or f32.
  virtual mlir::Type wordType() const = 0;
  /// Before the first tile; `offsets` are those of the thread's two rows.
  virtual void loadQuery(mlir::Value query, llvm::ArrayRef<mlir::Value> offsets) = 0;
  /// Query times the tile's keys, in f32.
  virtual Fragment scores(mlir::Value keys) = 0;
  /// `sums` plus probabilities times the tile's values.
  virtual Fragment accumulate(const Fragment &probabilities, mlir::Value values, Fragment sums) = 0;
};

/// A word at [row][column] of a tile.
mlir::Value loadWord(mlir::ImplicitLocOpBuilder &builder, mlir::Value tile, mlir::Value row, mlir::Value column);
void storeWord(mlir::ImplicitLocOpBuilder &builder, mlir::Value word, mlir::Value tile, mlir::Value row,
               mlir::Value column);
/// Shared memory of rows x columns words of a type.
mlir::Value allocateTile(mlir::gpu::GPUFuncOp function, int64_t rows, int64_t columns, mlir::Type word);

} // namespace froe
