#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <string>
#include <vector>

namespace froe {

/// What the ranks of a program run on, written as `--target` takes it: `cpu`, or `cuda:sm_80,sm_90`.
struct ProgramTarget {
  std::vector<std::string> archs; ///< of GPUs, ascending, each once; none: ranks run on the CPU

  bool isCuda() const { return !archs.empty(); }
  std::string str() const;
  /// `cuda` alone stands for sm_80 and sm_90. The error says what was expected.
  static std::expected<ProgramTarget, std::string> parse(const std::string &text);
};

/// `sm_80` is 80.
int archNumber(llvm::StringRef arch);

/// Module attribute `froe.target`, which a program has from its first phase on; without it the program is for the CPU.
std::optional<ProgramTarget> statedTarget(mlir::ModuleOp module);
ProgramTarget targetOf(mlir::ModuleOp module);
void setTarget(mlir::ModuleOp module, const ProgramTarget &target);

} // namespace froe
