#include "StageCuts.h"

#include "llvm/Support/GlobPattern.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <map>

namespace froe {

namespace {
/// Cuts at which fewest bytes cross: at least as many as asked for where there are, and all that are as good.
std::vector<CutPoint> narrowest(std::vector<CutPoint> cuts, size_t atLeast) {
  atLeast = atLeast > 0 ? atLeast - 1 : 0;
  std::vector<int64_t> bytes;
  for (const CutPoint &cut : cuts)
    bytes.push_back(cut.bytes);
  std::ranges::sort(bytes);
  if (bytes.empty())
    return {};
  int64_t limit = bytes[std::min(bytes.size() - 1, atLeast)];
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

StageCuts::StageCuts(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice, size_t atLeast)
    : graph(graph), choice(choice), cuts(narrowest(cutPointsOf(graph), atLeast)) {
  for (const GraphNode &node : graph.nodes)
    end = std::max(end, node.position + (node.kind == GraphNode::Kind::Op ? 1 : 0));
  between.resize(cuts.size() + 1);
  std::vector<bool> independent = independentOfInputs(graph);
  std::vector<int> place = placesOf(graph, independent);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    unitAt(place[i]).seconds += problem.nodes[i].cost[choice[i]];
  for (const PlanEdge &edge : problem.edges)
    unitAt(place[edge.to]).seconds +=
        edge.cost[size_t(choice[edge.from]) * problem.nodes[edge.to].strategies() + choice[edge.to]];
  std::vector<int64_t> changes(end + 2); // of bytes that values hold, by position
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses) {
      int64_t bytes = use.bytes[choice[i]];
      if (independent[i]) {
        unitAt(place[i]).weightBytes += bytes;
        continue;
      }
      changes[std::clamp<int64_t>(use.live.begin, 0, end)] += bytes;
      changes[std::clamp<int64_t>(use.live.end, 0, end + 1)] -= bytes;
    }
  int64_t live = 0;
  for (int position = 0; position <= end; ++position) {
    live += changes[position];
    unitAt(position).valueBytes = std::max(unitAt(position).valueBytes, live);
  }
}

std::vector<StageUnit> StageCuts::evenUnits() const {
  std::map<int, std::vector<size_t>> alike;
  for (size_t unit = 0; unit < between.size(); ++unit) {
    int number = static_cast<int>(unit);
    alike[firstPosition(number + 1) - firstPosition(number)].push_back(unit);
  }
  std::vector<StageUnit> units = between;
  for (auto &[ops, members] : alike) {
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

StageUnit &StageCuts::unitAt(int position) {
  auto behind = std::ranges::upper_bound(cuts, position, {}, &CutPoint::position);
  return between[behind - cuts.begin()];
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
