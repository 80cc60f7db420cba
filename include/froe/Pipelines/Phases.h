#pragma once

#include "froe/Conversion/Package.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace froe {

/// The forms that a program goes through, in order. `exe`, the last one, is the package: no module.
enum class Phase {
  Program, ///< what the model computes: froe ops, static shapes
  Plan,    ///< and how each op is sharded
  Rank,    ///< what one rank computes: local shapes, collectives
  Kernels, ///< as a straight line of steps with places in memory; kernels are functions of froe ops
  PTX,     ///< the same, kernels are PTX; programs for GPUs only
  LLVM,    ///< as LLVM IR that calls the runtime
  Exe,
};
inline constexpr Phase kPhases[] = {Phase::Program, Phase::Plan, Phase::Rank, Phase::Kernels,
                                    Phase::PTX,     Phase::LLVM, Phase::Exe};
std::string_view name(Phase phase);
std::optional<Phase> phaseNamed(std::string_view text);

/// The module attribute `froe.phase`, or nothing where the module does not say.
std::optional<Phase> phaseOf(mlir::ModuleOp module);
void setPhase(mlir::ModuleOp module, Phase phase);

/// All dialects that a module of any phase may use.
void registerDialects(mlir::DialectRegistry &registry);

/// The complaints that MLIR made, `node 'NAME': message` each; notes start with `note: `.
using Complaints = std::vector<std::string>;

/// Reads a module that `printPhase` wrote, or a person. A dump whose constants were left out is refused.
std::expected<mlir::OwningOpRef<mlir::ModuleOp>, Complaints> readModule(mlir::MLIRContext &context,
                                                                        const std::string &file);

/// The module as text, with the names of ONNX nodes as locations; of phase `ptx` only the kernels, as PTX. `elide`:
/// constants of more than 1024 elements are left out; such a text cannot be read back.
std::string printPhase(mlir::ModuleOp module, bool elide);

/// Recovers what exporters spell out, and converts floats to the type `floats` (f16, bf16, tf32, or empty): the end of
/// phase `program`.
std::expected<void, Complaints> simplifyProgram(mlir::ModuleOp module, const std::string &floats = "");

/// Takes a module from phase `plan`, `rank`, `kernels` or `ptx` to the next one of its target (ProgramTarget.h).
/// `cluster` (preset or file) has the costs that choose between equivalent collectives.
std::expected<void, Complaints> advance(mlir::ModuleOp module, Phase next, const std::string &cluster);

} // namespace froe
