#pragma once

#include "froe/Sharding/Rule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// Scalar ops that elementwise ops name as aliases; only lowerings need their definitions.
namespace mlir::arith {
class AddFOp;
class AddIOp;
class SubFOp;
class SubIOp;
class MulFOp;
class MulIOp;
class DivFOp;
class RemFOp;
class NegFOp;
class MaximumFOp;
class MinimumFOp;
class AndIOp;
class OrIOp;
class XOrIOp;
} // namespace mlir::arith
namespace mlir::math {
class AbsFOp;
class AbsIOp;
class ExpOp;
class LogOp;
class SqrtOp;
class SinOp;
class CosOp;
class TanhOp;
class ErfOp;
class FloorOp;
class CeilOp;
class RoundEvenOp;
class PowFOp;
} // namespace mlir::math

namespace froe {

/// Whether `type` is what program ops work on: a ranked, statically shaped tensor of f16, bf16, f32, f64, i1, and
/// signless or unsigned integers of 8 to 64 bits, whose size in bytes fits 63 bits.
bool isProgramTensor(mlir::Type type);

/// The op's constant rule text for its shapes. A rule that does not fit its op is a bug in Froe and ends the process.
Rule parseShardingRule(mlir::Operation *op, llvm::StringRef text);

/// Checks the letters of two operands and a result against their types, as `froe.contract` documents them.
mlir::LogicalResult verifySubscripts(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> letters,
                                     llvm::ArrayRef<mlir::RankedTensorType> types);

/// Checks that a product's result has the element type of its operands, or f32 where that is narrower.
mlir::LogicalResult verifyProductType(mlir::Operation *op, mlir::RankedTensorType operand,
                                      mlir::RankedTensorType result);

/// The shapes of an op's operands or results.
std::vector<std::vector<int64_t>> shapesOf(mlir::ValueRange values);

} // namespace froe

#include "dialects/Froe/FroeDialect.h.inc"
#include "dialects/Froe/FroeEnums.h.inc"
#include "dialects/Froe/ShardableOpInterface.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Froe/FroeAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Froe/FroeOps.h.inc"

namespace froe {

/// The mesh of the module around `op`; null where it has none.
MeshOp meshOf(mlir::Operation *op);

/// Whether each term adds its rounding to the result: of sums and products, not of extremes.
inline bool roundsEachTerm(Reduction kind) { return kind == Reduction::Sum || kind == Reduction::Product; }

} // namespace froe
