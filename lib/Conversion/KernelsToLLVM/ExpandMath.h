// Functions of f32 as straight-line code that vectorises.
#pragma once

#include "mlir/IR/Operation.h"

namespace froe {

/// Replaces math.exp, log, tanh and erf of f32 below `function` by arithmetic within 4 units in the last place (erf and
/// tanh: 3e-7 relative), NaN and infinities as in C. exp gives 0 where its result is below the normal range. All else
/// is left to the conversion to LLVM, which calls a library.
void expandMath(mlir::Operation *function);
/// math.erf of f64, which that conversion does not know, becomes a call of libm.
void callErf(mlir::Operation *function);

} // namespace froe
