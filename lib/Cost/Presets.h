#pragma once

#include "froe/Cost/Cluster.h"

#include <optional>
#include <string_view>

namespace froe {

/// `NAME`, `NAME:8` (one node of 8) or `NAME:8x128` (128 nodes of 8); nullopt where the name before the colon is no
/// preset.
std::optional<std::expected<Cluster, std::string>> findPreset(std::string_view text);

/// One rank a core of a server processor with AVX-512, ranks joined by shared memory. Memory is this host's.
Cluster cpuPreset();

/// A GPU server as its maker sells it; nullopt where there is none of that name.
std::optional<Cluster> gpuPreset(std::string_view name);
std::vector<std::string_view> gpuPresets();

} // namespace froe
