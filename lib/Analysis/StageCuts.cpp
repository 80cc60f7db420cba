#include "StageCuts.h"

#include "llvm/Support/GlobPattern.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace froe {

namespace {
/// Splits are searched among so many units, unless more stages are asked for.
constexpr size_t kMostUnits = 256;
/// A unit may take this part of a stage.
constexpr double kPartOfStage = 0.5;

double longestUnit(const std::vector<CutPoint> &cuts, int64_t mostBytes, const std::vector<double> &secondsBefore) {
  double longest = 0, begin = 0;
  for (const CutPoint &cut : cuts)
    if (cut.bytes <= mostBytes) {
      longest = std::max(longest, secondsBefore[cut.position] - begin);
      begin = secondsBefore[cut.position];
    }
  return std::max(longest, secondsBefore.back() - begin);
}

/// Cuts at which few bytes cross: as many as stages need, and so many that no unit between two of them is too long for
/// the stages to be of equal length. What all layers read crosses as well, so that the fewest bytes alone may leave
/// cuts only before the first layer.
std::vector<CutPoint> narrowest(std::vector<CutPoint> cuts, size_t stages, const std::vector<double> &secondsBefore) {
  std::vector<int64_t> bytes;
  for (const CutPoint &cut : cuts)
    bytes.push_back(cut.bytes);
  std::ranges::sort(bytes);
  if (bytes.empty())
    return {};
  size_t least = std::min(bytes.size(), std::max<size_t>(stages, 2) - 1), most = std::max(least, kMostUnits);
  std::vector<std::pair<int64_t, double>> limits; // with the longest unit that each leaves
  for (size_t i = least - 1; i < bytes.size(); ++i)
    if (i + 1 == bytes.size() || bytes[i + 1] > bytes[i])
      if (limits.empty() || i < most)
        limits.emplace_back(bytes[i], longestUnit(cuts, bytes[i], secondsBefore));
  constexpr double kAsGood = 1.05;
  double shortest = std::ranges::min(limits, {}, &std::pair<int64_t, double>::second).second;
  double enough = std::max(kPartOfStage * secondsBefore.back() / double(stages), kAsGood * shortest);
  int64_t limit = std::ranges::find_if(limits, [&](const auto &one) { return one.second <= enough; })->first;
  std::erase_if(cuts, [&](const CutPoint &cut) { return cut.bytes > limit; });
  return cuts;
}

/// The position at which each node's time and memory count.
std::vector<int> placesOf(const ProgramGraph &graph, const std::vector<bool> &independent) {
  std::vector<int> place;
  for (const GraphNode &node : graph.nodes)
    place.push_back(node.position);
  std::vector<int> firstUse(graph.nodes.size(), INT_MAX);
  for (size_t e = graph.edges.size(); e-- > 0;) {
    const GraphEdge &edge = graph.edges[e];
    int use = independent[edge.to] ? firstUse[edge.to] : place[edge.to];
    firstUse[edge.from] = std::min(firstUse[edge.from], use);
  }
  for (size_t i = 0; i < place.size(); ++i)
    if (independent[i] && firstUse[i] != INT_MAX)
      place[i] = firstUse[i];
  return place;
}
} // namespace

StageCuts::StageCuts(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice,
                     std::optional<size_t> stages)
    : graph(graph), choice(choice), cuts(cutPointsOf(graph)) {
  for (const GraphNode &node : graph.nodes)
    end = std::max(end, node.position + (node.kind == GraphNode::Kind::Op ? 1 : 0));
  std::vector<bool> independent = independentOfInputs(graph);
  std::vector<int> place = placesOf(graph, independent);
  std::vector<double> secondsBefore(end + 2, 0);
  auto count = [&](int node, double seconds) { secondsBefore[std::clamp(place[node], 0, end) + 1] += seconds; };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    count(static_cast<int>(i), problem.nodes[i].cost[choice[i]]);
  for (const PlanEdge &edge : problem.edges)
    count(edge.to, edge.cost[size_t(choice[edge.from]) * problem.nodes[edge.to].strategies() + choice[edge.to]]);
  std::partial_sum(secondsBefore.begin(), secondsBefore.end(), secondsBefore.begin());
  if (stages)
    cuts = narrowest(std::move(cuts), *stages, secondsBefore);
  between.resize(cuts.size() + 1);
  for (size_t unit = 0; unit < between.size(); ++unit)
    between[unit].seconds = (unit < cuts.size() ? secondsBefore[cuts[unit].position] : secondsBefore.back()) -
                            (unit > 0 ? secondsBefore[cuts[unit - 1].position] : 0);
  std::vector<int64_t> changes(end + 2); // of bytes that values hold, by position
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses) {
      int64_t bytes = use.bytes[choice[i]];
      if (independent[i]) {
        between[unitNumberAt(place[i])].weightBytes += bytes;
        continue;
      }
      changes[std::clamp<int64_t>(use.live.begin, 0, end)] += bytes;
      changes[std::clamp<int64_t>(use.live.end, 0, end + 1)] -= bytes;
    }
  int64_t live = 0;
  for (int position = 0; position <= end; ++position) {
    live += changes[position];
    between[unitNumberAt(position)].valueBytes = std::max(between[unitNumberAt(position)].valueBytes, live);
  }
}

std::vector<StageUnit> StageCuts::evenUnits() const {
  std::vector<std::vector<int>> classes(between.size()); // of each unit's ops
  for (const GraphNode &node : graph.nodes)
    if (node.kind == GraphNode::Kind::Op && node.opName() != "weight")
      classes[unitNumberAt(node.position)].push_back(node.opClass);
  std::map<std::vector<int>, std::vector<size_t>> alike;
  for (size_t unit = 0; unit < between.size(); ++unit)
    alike[classes[unit]].push_back(unit);
  std::vector<StageUnit> units = between;
  for (const auto &[ops, members] : alike) {
    StageUnit sum;
    for (size_t member : members) {
      sum.seconds += between[member].seconds;
      sum.weightBytes += between[member].weightBytes;
      sum.valueBytes += between[member].valueBytes;
    }
    auto count = static_cast<int64_t>(members.size());
    for (size_t member : members)
      units[member] = {sum.seconds / double(count), 0, sum.weightBytes / count, sum.valueBytes / count};
  }
  return units;
}

namespace {
/// Positions of the first and the last op whose name one of the globs matches.
std::expected<std::pair<int, int>, std::string> rangeOf(const ProgramGraph &graph,
                                                        const std::vector<std::string> &globs) {
  std::pair<int, int> range{INT_MAX, -1};
  for (const std::string &text : globs) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    if (!glob)
      return std::unexpected("\"stages\": '" + text + "': " + llvm::toString(glob.takeError()));
    bool any = false;
    for (const GraphNode &node : graph.nodes) {
      if (node.kind != GraphNode::Kind::Op || node.opName() == "weight" || !glob->match(node.name))
        continue;
      any = true;
      range = {std::min(range.first, node.position), std::max(range.second, node.position)};
    }
    if (!any)
      return std::unexpected("\"stages\": no node is called '" + text + "'");
  }
  return range;
}
} // namespace

std::expected<std::vector<int>, std::string>
StageCuts::unitsFor(const std::vector<std::vector<std::string>> &stageNodes) const {
  std::vector<int> firstUnits = {0};
  int lastBefore = -1;
  for (const std::vector<std::string> &globs : stageNodes) {
    std::expected<std::pair<int, int>, std::string> range = rangeOf(graph, globs);
    if (!range)
      return std::unexpected(range.error());
    size_t stage = &globs - stageNodes.data();
    if (stage > 0) {
      // The last cut before its first node.
      auto behind = std::ranges::upper_bound(cuts, range->first, {}, &CutPoint::position);
      int unit = static_cast<int>(behind - cuts.begin());
      if (unit <= firstUnits.back() || firstPosition(unit) <= lastBefore)
        return std::unexpected(fmt::format(
            "\"stages\": the program cannot be cut between the nodes of stages {} and {}", stage - 1, stage));
      firstUnits.push_back(unit);
    }
    lastBefore = std::max(lastBefore, range->second);
  }
  return firstUnits;
}

size_t StageCuts::unitNumberAt(int position) const {
  auto behind = std::ranges::upper_bound(cuts, position, {}, &CutPoint::position);
  return size_t(behind - cuts.begin());
}

int StageCuts::firstPosition(int unit) const {
  return unit == 0 ? 0 : unit > static_cast<int>(cuts.size()) ? end : cuts[unit - 1].position;
}

const Sharding &StageCuts::wireForm(int node, int result) const {
  const Sharding &made = graph.nodes[node].produces(choice[node], result);
  const GraphEdge *first = nullptr;
  for (const GraphEdge &edge : graph.edges) {
    if (edge.from != node || edge.result != result)
      continue;
    if (graph.nodes[edge.to].kind == GraphNode::Kind::Tensor)
      return graph.nodes[edge.to].produces(choice[edge.to]);
    if (!first)
      first = &edge;
  }
  return made.isPartial() && first ? graph.nodes[first->to].needs(choice[first->to], first->operands.front()) : made;
}

} // namespace froe
