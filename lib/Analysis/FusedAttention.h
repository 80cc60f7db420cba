#pragma once

#include "dialects/Froe/Froe.h"

#include <optional>

namespace froe {

/// Two products with a softmax between that FuseAttention will make one kernel of.
struct FusedAttention {
  ContractOp scores, values;
  llvm::SmallVector<mlir::Value> inner; ///< what the ops between make, the scores first; nothing else reads them

  /// That which ends in `values`; nothing where some part cannot be fused.
  static std::optional<FusedAttention> endingIn(ContractOp values);
};

} // namespace froe
