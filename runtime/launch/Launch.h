// Starts the ranks of a package, feeds them, watches them, and gathers what they computed. `froe run` and `froe verify`
// are thin callers of this.
#pragma once

#include "runtime/launch/Array.h"

#include <chrono>
#include <expected>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace froe {

struct RunOptions {
  std::filesystem::path package;
  int ranks = 0;   // must be the package's; 0: the package's
  int threads = 0; // of each rank; 0: the host's cores divided by its ranks, at least 1

  /// By name: a .npy file, or the tensor itself.
  std::map<std::string, std::variant<std::filesystem::path, Array>> inputs;
  /// Inputs not given are made up instead of being an error: floats from [-1, 1), integers from [0, randomLimit), ones
  /// for bools and for names that contain "mask". Equal seeds give equal inputs, whatever the ranks.
  bool randomInputs = false;
  uint64_t seed = 0;
  int64_t randomLimit = 2;

  std::filesystem::path outputDirectory; // created; empty: outputs are not written to files
  int warmup = 0;                        // executions before the timed ones
  int repeat = 1;                        // timed executions, at least 1
  std::filesystem::path trace;           // Chrome/Perfetto JSON; empty: none
  bool check = false;                    // hash the weights too, and compare descriptors before each collective, which
                                         // FROE_CHECK_COLLECTIVES=1 does alone
  bool graph = true;                     // GPUs record an execution and play it again, unless something is checked
  bool pin = true;                       // each rank to its share of the cores, if there are enough
  std::optional<double> timeoutSeconds; // how long ranks wait for others; default: 120 s until all have loaded, then 60
  std::optional<std::chrono::steady_clock::time_point> started; // of the launcher, for firstOutputMs; empty: now
};

struct RankResult {
  int rank = 0;
  int stage = 0;
  uint64_t peakBytes = 0; // largest resident set of the process
  uint64_t arenaBytes = 0;
  uint64_t bytesSent = 0;     // by one execution: what other ranks receive from this one
  double computeMs = 0;       // of one execution (mean over the timed ones): all that is not
  double communicationMs = 0; // in a collective, waiting included
};

struct OutputResult {
  std::string name;
  std::string file; // relative to outputDirectory; empty if none was written
  Array array;
};

struct RunResult {
  std::vector<double> latenciesMs; // of the timed executions, in order: inputs in memory to outputs in memory
  double firstOutputMs = 0;        // from the launcher's start to the first execution's outputs, warm-up included
  std::vector<RankResult> ranks;
  std::vector<OutputResult> outputs;

  /// q in [0, 1], by nearest rank; latencyMs(0.5) is the median.
  double latencyMs(double q) const;
};

/// Keys: latency_ms {min, median, p90, p99}, first_output_ms, ranks, outputs.
nlohmann::json to_json(const RunResult &result);

/// Why there is no result.
struct Failure {
  int exitCode =
      1; // 1 the user's input or a fault that the model raised, 3 a bug in Froe, 4 a rank failed, 130 interrupted
  std::string message;
};

/// Runs the package. SIGINT and SIGTERM that arrive meanwhile are forwarded to the ranks and end in exit code 130. No
/// rank outlives the call.
std::expected<RunResult, Failure> launch(const RunOptions &options);

} // namespace froe
