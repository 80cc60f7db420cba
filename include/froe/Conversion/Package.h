#pragma once

#include "froe/Sharding/Mesh.h"
#include "froe_rt.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace froe {

/// Module attribute: the instruction set whose kernels the package's weights are packed for (runtime/cpu/Isa.h).
inline constexpr llvm::StringLiteral kIsaAttribute = "froe.isa";

/// All that is in a package besides the program itself. The `llvm` phase keeps it as module attribute `rank.package`,
/// so that this phase can be read back as well.
struct Package {
  struct Port {
    std::string name;
    mlir::RankedTensorType type; ///< global
  };

  /// How the matrix library wants a weight.
  struct Packed {
    std::string tag;
    uint64_t bytes = 0;
    froe_matmul matmul{}; ///< without posts
  };

  /// A weight as one rank stores it.
  struct Weight {
    std::string name; ///< in the rank's file: the ONNX name, with a suffix where a weight is stored in several forms
    std::string file; ///< source of the elements, relative to the model's folder
    int64_t offset = 0, length = 0; ///< bytes of the whole weight in that file
    mlir::Type stored;              ///< element type there; f32 may be narrowed
    mlir::RankedTensorType global, local;
    std::vector<AxisList> cuts; ///< mesh axes that cut each dim
    std::optional<Packed> packed;
  };

  Mesh mesh;
  std::string planHash; ///< equal in program and manifest
  int64_t arenaBytes = 0;
  int64_t kernels = 0; ///< distinct ones
  std::vector<Port> inputs, outputs;
  std::vector<Weight> weights; ///< in the order of `froe_program`
};

/// Writes the module attribute.
void setPackage(mlir::ModuleOp module, const Package &package);

/// Reads the module attribute; the error says what is missing.
std::expected<Package, std::string> getPackage(mlir::ModuleOp module);

} // namespace froe
