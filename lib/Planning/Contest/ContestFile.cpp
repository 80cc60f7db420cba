#include "froe/Planning/ContestFile.h"

#include "JsonStream.h"

#include <cmath>
#include <fmt/format.h>

namespace froe {

namespace {
constexpr double kExcluded = 1e18;
/// Integers up to here are exact as double.
constexpr double kMaxInteger = 9007199254740992.0;

struct Reader {
  explicit Reader(JsonStream &json) : json(json) {}

  Problem run() {
    bool found = false;
    json.object([&](const std::string &key) {
      if (key != "problem")
        return json.skip();
      once(found, key);
      readProblem();
    });
    json.end();
    if (!found)
      throw MalformedText("expected a problem");
    build();
    return std::move(problem);
  }

private:
  void once(bool &found, const std::string &key) {
    if (found)
      json.fail(fmt::format("'{}' is there already", key));
    found = true;
  }

  void readProblem() {
    bool nodes = false, edges = false, limit = false;
    json.object([&](const std::string &key) {
      if (key == "nodes") {
        once(nodes, key);
        json.object([&](const std::string &part) { readNodes(part); });
      } else if (key == "edges") {
        once(edges, key);
        json.object([&](const std::string &part) { readEdges(part); });
      } else if (key == "usage_limit") {
        once(limit, key);
        problem.memoryLimit = integer(json.number());
      } else {
        json.skip();
      }
    });
    if (!nodes || !edges)
      json.fail("expected nodes and edges");
  }

  void readNodes(const std::string &part) {
    if (part == "intervals")
      lists(intervals);
    else if (part == "costs")
      lists(costs);
    else if (part == "usages")
      lists(usages);
    else
      json.skip();
  }

  void readEdges(const std::string &part) {
    if (part == "nodes")
      lists(ends);
    else if (part == "costs")
      lists(edgeCosts);
    else
      json.skip();
  }

  void lists(std::vector<std::vector<double>> &into) {
    if (!into.empty())
      json.fail("the list is there already");
    json.array([&] { into.push_back(json.numbers()); });
  }

  int64_t integer(double value) {
    if (!(value >= 0 && value <= kMaxInteger && value == std::floor(value)))
      throw MalformedText(fmt::format("expected an integer from 0 to 2^53, found {}", value));
    return static_cast<int64_t>(value);
  }

  static void checkCosts(std::vector<double> &list, const std::string &what) {
    for (double &cost : list) {
      if (!(cost >= 0 && cost <= kExcluded))
        throw MalformedText(fmt::format("{}: expected costs from 0 to 1e18, found {}", what, cost));
      if (cost == kExcluded)
        cost = std::numeric_limits<double>::infinity();
    }
  }

  static void checkCount(const std::string &what, size_t expected, size_t found) {
    if (expected != found)
      throw MalformedText(fmt::format("{}: expected {}, found {}", what, expected, found));
  }

  void build() {
    checkCount("intervals of nodes", costs.size(), intervals.size());
    checkCount("usages of nodes", costs.size(), usages.size());
    checkCount("costs of edges", ends.size(), edgeCosts.size());
    double largest = 0; // the sum of all nodes' largest usages must not overflow
    for (size_t i = 0; i < costs.size(); ++i)
      largest += addNode(i);
    if (largest > 4e18)
      throw MalformedText("the usages add up to more than 4e18");
    for (size_t i = 0; i < ends.size(); ++i)
      addEdge(i);
  }

  double addNode(size_t i) {
    std::string name = std::to_string(i), what = "node " + name;
    if (costs[i].empty())
      throw MalformedText(what + ": no strategies");
    checkCosts(costs[i], what);
    checkCount(what + ": usages", costs[i].size(), usages[i].size());
    checkCount(what + ": ends of the interval", 2, intervals[i].size());
    Interval live{integer(intervals[i][0]), integer(intervals[i][1])};
    PlanNode &node = problem.nodes.emplace_back(PlanNode{std::move(name), std::move(costs[i]), {}});
    double largest = 0;
    std::vector<int64_t> bytes;
    for (double usage : usages[i]) {
      bytes.push_back(integer(usage));
      largest = std::max(largest, usage);
    }
    usages[i] = {};
    if (live.size() > 0 && largest > 0)
      node.uses.push_back({live, std::move(bytes)});
    return largest;
  }

  void addEdge(size_t i) {
    std::string what = fmt::format("edge {}", i);
    checkCount(what + ": ends", 2, ends[i].size());
    int64_t from = integer(ends[i][0]), to = integer(ends[i][1]), count = static_cast<int64_t>(problem.nodes.size());
    if (from >= count || to >= count)
      throw MalformedText(fmt::format("{}: between nodes {} and {} of {}", what, from, to, count));
    if (from == to)
      throw MalformedText(fmt::format("{}: leads from node {} to itself", what, from));
    checkCosts(edgeCosts[i], what);
    checkCount(what + ": costs", problem.nodes[from].cost.size() * problem.nodes[to].cost.size(), edgeCosts[i].size());
    problem.edges.push_back({static_cast<int>(from), static_cast<int>(to), std::move(edgeCosts[i])});
  }

  JsonStream &json;
  Problem problem;
  std::vector<std::vector<double>> intervals, costs, usages, ends, edgeCosts;
};
} // namespace

std::expected<Problem, std::string> readContestProblem(const std::filesystem::path &path, const ContestLimits &limits) {
  try {
    JsonStream json(path.string(), limits.bytes, limits.numbers);
    return Reader(json).run();
  } catch (const MalformedText &why) {
    return std::unexpected(fmt::format("{}: {}", path.string(), why.what()));
  }
}

} // namespace froe
