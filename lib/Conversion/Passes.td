// Lowerings out of the froe and rank dialects, one folder each.
#ifndef FROE_CONVERSION_PASSES
#define FROE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

#endif
