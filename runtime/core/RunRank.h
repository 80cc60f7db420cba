// The life of one rank: join the others, load, execute as often as the launcher asked, report.
#pragma once

#include "froe_rt.h"

#include <expected>
#include <string>

namespace froe::rt {

/// What a launcher tells a rank, besides what the control memory says.
struct RankEnvironment {
  int rank = 0;
  int worldSize = 1;
  int controlFile = -1, tensorFile = -1; // memfds, see Control.h
  std::string weightsFile;               // rank<R>.safetensors
};

/// From the environment variables that `froe run` sets (FROE_RANK, FROE_WORLD_SIZE, FROE_SHM_FD, FROE_IO_FD); the
/// weights lie next to the executable. This is the one place that knows how ranks are started.
std::expected<RankEnvironment, std::string> discoverRank();

/// Runs all executions. Returns when they are done; what fails ends the process.
void runRank(const froe_program &program, const RankEnvironment &environment);

} // namespace froe::rt
