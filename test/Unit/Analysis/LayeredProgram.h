#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>
#include <string>

namespace froe::test {

struct LayeredProgram {
  int layers = 8;
  bool mask = false;         ///< an input that every layer reads
  bool tied = false;         ///< all layers use the first one's second weight
  bool twoStreams = false;   ///< two values go from layer to layer
  bool outputs = false;      ///< each layer gives a result
  std::set<int> others = {}; ///< layers that do something else
};

/// A program of multilayer perceptrons with residuals, as text; a projection before and one behind.
std::string textOf(const LayeredProgram &program);

/// A context with what programs need.
std::unique_ptr<mlir::MLIRContext> makeContext();
mlir::OwningOpRef<mlir::ModuleOp> parse(const LayeredProgram &program, mlir::MLIRContext &context);

} // namespace froe::test
