#pragma once

#include "runtime/cpu/MatmulBackend.h"

namespace froe::cpu {

/// The fastest implementation for this machine. `layout` is what `choosePacking` chose for a weight; null where the
/// result is empty.
BackendOr chooseBackend(const Product &product, const PanelLayout &layout, int threads);

} // namespace froe::cpu
