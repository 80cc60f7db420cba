#pragma once

#include "Emitter.h"

#include "froe/Import/Import.h"
#include "onnx-ml.pb.h"

namespace froe::importing {

/// An input of the program with its type, or what the user made of it.
struct BoundInput {
  std::string name;
  mlir::RankedTensorType type;
  /// Set where the user fixed the input's elements (--const); it is no input of the program then.
  std::optional<Constant> constant;
  std::vector<std::string> dims; ///< what the model calls each dim; empty where it does not say
};

/// Types of the graph's inputs with every dim bound by `options`. Inputs that are also initializers are left out.
/// Throws Invalid, with one line a problem: all unbound dims at once, contradictions, options that name nothing.
std::vector<BoundInput> bindInputs(mlir::MLIRContext &context, const onnx::GraphProto &graph,
                                   const ImportOptions &options);

} // namespace froe::importing
