#pragma once

#include "dialects/Rank/Rank.h"

namespace froe::rank {

/// Whether other ranks read the operand of `op` where this rank has it: in the arena, not among weights and constants.
inline bool sendsFromArena(mlir::Operation *op) {
  return llvm::isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp>(op);
}

/// Where a collective is complete; null: where it stands.
inline WaitOp waitOf(mlir::Operation *collective) {
  for (mlir::Operation *user : collective->getUsers())
    if (auto wait = llvm::dyn_cast<WaitOp>(user))
      return wait;
  return {};
}

} // namespace froe::rank
