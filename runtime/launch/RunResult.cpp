#include "runtime/core/ElementType.h"
#include "runtime/launch/Launch.h"

#include <algorithm>
#include <cmath>

namespace froe {

using nlohmann::json;

double RunResult::latencyMs(double q) const {
  if (latenciesMs.empty())
    return 0;
  std::vector<double> sorted = latenciesMs;
  std::ranges::sort(sorted);
  size_t rank = size_t(std::ceil(q * double(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

json to_json(const RunResult &result) {
  json ranks = json::array(), outputs = json::array();
  for (const RankResult &rank : result.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"stage", rank.stage},
                     {"peak_bytes", rank.peakBytes},
                     {"arena_bytes", rank.arenaBytes},
                     {"bytes_sent", rank.bytesSent},
                     {"compute_ms", rank.computeMs},
                     {"communication_ms", rank.communicationMs}});
  for (const OutputResult &output : result.outputs)
    outputs.push_back({{"name", output.name},
                       {"file", output.file},
                       {"shape", output.array.shape},
                       {"type", rt::elementType(output.array.type).numpy}});
  json latency = {{"min", result.latencyMs(0)},
                  {"median", result.latencyMs(0.5)},
                  {"p90", result.latencyMs(0.9)},
                  {"p99", result.latencyMs(0.99)}};
  return {{"latency_ms", latency}, {"first_output_ms", result.firstOutputMs}, {"ranks", ranks}, {"outputs", outputs}};
}

} // namespace froe
