// Kernels that hold an attention: two products with a softmax between.
#pragma once

#include "dialects/Rank/AttentionShape.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace froe {

/// The attention that a kernel consists of, if it does.
std::optional<rank::Attention> attentionOf(mlir::func::FuncOp kernel);

/// Fills `function`, whose parameters are the kernel's operands, its result and the word for faults.
///
/// A block of four warps has 64 rows of one batch, a warp 16 of them. It goes over the keys tile by tile: keys and
/// values of a tile lie in shared memory, scores never leave the registers. The softmax is computed on the way: each
/// row keeps its largest score and the sum of its exponentials so far, and its result is scaled when the largest score
/// grows (Dao: FlashAttention-2, arXiv:2307.08691). A row without keys (all scores -inf) is NaN, as it is unfused, or
/// what zeros times the values give where the kernel makes zeros of NaN.
void emitAttention(const rank::Attention &attention, mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function);

} // namespace froe
