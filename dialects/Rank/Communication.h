#pragma once

#include "dialects/Rank/Rank.h"

namespace froe::rank {

/// Whether other ranks read the operand of `op` where this rank has it: in the arena, not among weights and constants.
inline bool sendsFromArena(mlir::Operation *op) {
  return llvm::isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp>(op);
}

} // namespace froe::rank
