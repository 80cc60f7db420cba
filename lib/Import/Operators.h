#pragma once

#include "Node.h"

namespace froe::importing {

/// Element types that an operator takes as its main operand.
enum class Types { Float, Number, Boolean, Integer, Any };

/// An ONNX operator and the function that imports its nodes; the function returns the node's results, leading ones at
/// least.
struct Operator {
  llvm::StringLiteral name;
  /// The first opset that has it (11 stands for 11 and before).
  int64_t firstOpset;
  Types types;
  Tensors (*import)(Node &);
  llvm::StringLiteral condition = "";
  llvm::StringLiteral domain = "";
};

// One table a family.
llvm::ArrayRef<Operator> attentionOperators();
llvm::ArrayRef<Operator> constantOperators();
llvm::ArrayRef<Operator> contractionOperators();
llvm::ArrayRef<Operator> elementwiseOperators();
llvm::ArrayRef<Operator> indexOperators();
llvm::ArrayRef<Operator> layoutOperators();
llvm::ArrayRef<Operator> normalizationOperators();
llvm::ArrayRef<Operator> poolingOperators();
llvm::ArrayRef<Operator> reductionOperators();

constexpr int64_t kOldestOpset = 11, kNewestOpset = 28;

/// The operator of this name; null if there is none.
const Operator *findOperator(llvm::StringRef domain, llvm::StringRef name);

/// Whether `type` is one of `types`.
bool accepts(Types types, mlir::Type type);

} // namespace froe::importing
