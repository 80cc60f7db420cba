#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

namespace froe {

/// What the user fixes about a model. All names are the model's own.
struct ImportOptions {
  /// Sizes of symbolic dims, by symbol: `batch` = 8.
  std::map<std::string, int64_t> dims;
  /// Whole shapes of inputs, by input name.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Elements of inputs that become constants, by input name: row-major, separated by commas, in the input's own type.
  std::map<std::string, std::string> constants;
  /// Whether files of external data must be there. Planning needs shapes alone.
  bool needWeights = true;
};

/// Why a model was not imported.
struct ImportFailure {
  /// 1: the model, its files or the options are wrong; 2: the model uses what Froe does not support; 3: a bug in Froe.
  int exitCode = 1;
  /// One complaint each, every unsupported node among them: `model.onnx: node 'layer.3/MatMul' (MatMul, opset 13):
  /// why`.
  std::vector<std::string> lines;
};

/// Reads the ONNX file `path` as a module of phase `program`: one function @main of froe ops with static shapes.
///
/// Everything that shapes decide is evaluated here. Weights stay in their files (`froe.weight`); the file itself is
/// mapped, never held, so memory is of the order of the graph. The module is verified.
std::expected<mlir::OwningOpRef<mlir::ModuleOp>, ImportFailure>
importOnnx(mlir::MLIRContext &context, const std::string &path, const ImportOptions &options = {});

/// An ONNX operator that the importer knows.
struct OperatorInfo {
  /// Empty for ONNX's own domain.
  std::string domain;
  std::string name;
  /// Versions of the domain in which it is supported, both included.
  int64_t firstOpset, lastOpset;
  /// Element types of its main operand, in MLIR's spelling.
  std::vector<std::string> types;
  /// Empty where the operator becomes ordinary ops; else when it is supported.
  std::string condition;
};

/// Every operator that the importer knows, by domain and name.
std::vector<OperatorInfo> supportedOperators();

} // namespace froe
