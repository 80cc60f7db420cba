#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <expected>
#include <string>

namespace froe {

/// The size of the first dim of the inputs, the largest where they differ; 1 where no input has one.
int64_t batchSize(mlir::ModuleOp module);

/// The program on a part of its batch: every dim that the rules of the ops tie to the batch has `count` times fewer
/// elements, rounded up. For planning only: attributes that state positions are not looked at.
///
/// Fails where parts of a batch cannot be computed one after the other: an op mixes it, a weight has it, the batch has
/// fewer elements.
std::expected<mlir::OwningOpRef<mlir::ModuleOp>, std::string> microbatchOf(mlir::ModuleOp module, int64_t count);

} // namespace froe
