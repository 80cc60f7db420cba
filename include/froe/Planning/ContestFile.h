#pragma once

#include "froe/Planning/Problem.h"

#include <filesystem>

namespace froe {

/// What a problem file may hold at most; more is an error, so that a small hostile file cannot fill the memory.
struct ContestLimits {
  int64_t bytes = int64_t(1) << 30;   ///< of text, after decompression
  int64_t numbers = int64_t(1) << 26; ///< costs, usages, ends of edges and intervals together
};

/// Reads a problem of the ASPLOS/EuroSys 2025 contest on intra-operator parallelism (github.com/google/iopddl), plain
/// or compressed by gzip:
///
///   {"problem": {"nodes": {"intervals": [[lo, hi], ...], "costs": [[...], ...], "usages": [[...], ...]},
///                "edges": {"nodes": [[a, b], ...], "costs": [[...], ...]}, "usage_limit": 1000}}
///
/// A cost of 1e18 excludes; a node with an empty interval uses no memory. Other keys are passed over. The text is read
/// as a stream and never held. An error names the file and the byte or the node at fault.
std::expected<Problem, std::string> readContestProblem(const std::filesystem::path &path,
                                                       const ContestLimits &limits = {});

} // namespace froe
