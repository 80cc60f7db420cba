#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace froe {

/// Sixteen hexadecimal digits that differ for programs that compute something else, on other shapes, or whose nodes
/// have other names: what a plan depends on. Where weights lie, and what they hold, does not matter.
std::string programHash(mlir::func::FuncOp main);

} // namespace froe
