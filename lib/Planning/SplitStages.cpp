#include "froe/Planning/SplitStages.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace froe {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Seconds of every stage that fits, by its first unit and its length.
class PossibleStages {
public:
  PossibleStages(std::span<const StageUnit> units, int64_t memoryLimit) : seconds(units.size()) {
    for (size_t first = 0; first < units.size(); ++first) {
      double total = 0;
      int64_t weights = 0, values = 0;
      for (size_t last = first; last < units.size(); ++last) {
        total += units[last].seconds;
        weights += units[last].weightBytes;
        values = std::max(values, units[last].valueBytes);
        if (weights + values > memoryLimit)
          break;
        seconds[first].push_back(total + (last + 1 < units.size() ? units[last].sendSeconds : 0));
      }
    }
  }

  size_t units() const { return seconds.size(); }
  /// Ascending, of all stages.
  std::vector<double> allSeconds() const {
    std::vector<double> all;
    for (const std::vector<double> &lengths : seconds)
      all.insert(all.end(), lengths.begin(), lengths.end());
    std::ranges::sort(all);
    auto repeats = std::ranges::unique(all);
    all.erase(repeats.begin(), repeats.end());
    return all;
  }
  /// Of stages that begin at unit `first`, by length - 1.
  const std::vector<double> &from(size_t first) const { return seconds[first]; }

private:
  std::vector<std::vector<double>> seconds;
};

/// The cheapest split with no stage above `slowest`, by dynamic programming from the last unit.
class CheapestSplit {
public:
  CheapestSplit(const PossibleStages &possible, int stages, double slowest)
      : units(possible.units()), best(stages + 1, std::vector<double>(units + 1, kInfinity)),
        length(stages + 1, std::vector<int>(units + 1, 0)) {
    best[0][units] = 0;
    for (int count = 1; count <= stages; ++count)
      for (size_t first = units; first-- > 0;) {
        const std::vector<double> &lengths = possible.from(first);
        for (size_t i = 0; i < lengths.size(); ++i)
          if (double total = lengths[i] + best[count - 1][first + i + 1];
              lengths[i] <= slowest && total < best[count][first]) {
            best[count][first] = total;
            length[count][first] = static_cast<int>(i) + 1;
          }
      }
  }

  double seconds() const { return best.back()[0]; }
  std::vector<int> firstUnits() const {
    std::vector<int> first;
    for (int count = static_cast<int>(best.size()) - 1, unit = 0; count > 0; --count) {
      first.push_back(unit);
      unit += length[count][unit];
    }
    return first;
  }

private:
  size_t units;
  std::vector<std::vector<double>> best; ///< of so many stages from a unit to the end
  std::vector<std::vector<int>> length;  ///< of the first of them
};
} // namespace

// P12.
double pipelineSeconds(std::span<const double> stageSeconds, int64_t microbatches) {
  if (stageSeconds.empty())
    return 0;
  return std::reduce(stageSeconds.begin(), stageSeconds.end()) +
         double(microbatches - 1) * *std::ranges::max_element(stageSeconds);
}

std::optional<std::vector<int>> splitIntoStages(std::span<const StageUnit> units, int stages, int64_t microbatches,
                                                int64_t memoryLimit) {
  PossibleStages possible(units, memoryLimit);
  std::optional<std::vector<int>> answer;
  double best = kInfinity, least = CheapestSplit(possible, stages, kInfinity).seconds();
  // A slower slowest stage allows a cheaper sum, which is at least `least`: once that cannot pay, none will.
  for (double slowest : possible.allSeconds()) {
    if (slowest * stages < least * (1 - 1e-12))
      continue;
    if (least == kInfinity || least + double(microbatches - 1) * slowest >= best)
      break;
    CheapestSplit split(possible, stages, slowest);
    if (double total = split.seconds() + double(microbatches - 1) * slowest; total < best) {
      best = total;
      answer = split.firstUnits();
    }
  }
  return answer;
}

} // namespace froe
