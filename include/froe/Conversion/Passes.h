#pragma once

#include "mlir/Pass/Pass.h"

namespace froe {

#define GEN_PASS_DECL
#include "lib/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Conversion/Passes.h.inc"

} // namespace froe
