#pragma once

#include "froe/Cost/Cluster.h"

namespace froe {

/// One rank a core of a server processor with AVX-512, ranks joined by shared memory. Memory is this host's.
Cluster cpuPreset();

} // namespace froe
