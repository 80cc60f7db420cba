#include "LayeredProblem.h"

#include <algorithm>
#include <map>
#include <random>

namespace froe::test {

namespace {
/// A kind of node: strategies, each with the layouts that it needs and gives, the same in all layers.
struct Kind {
  std::vector<int> needs, gives;
  SharedTable<double> cost;
  SharedTable<int64_t> bytes;
};

class Builder {
public:
  explicit Builder(const LayeredSize &size) : size(size) {}

  Problem build() {
    int mask = size.mask ? add("mask", 5, 1000, {0, 20 * size.layers}) : -1;
    int table = add("table", 6, 40'000'000, {0, 20 * size.layers});
    int x = add("embed", 0, 100'000, {0, 3});
    join(table, x);
    for (int layer = 0; layer < size.layers; ++layer)
      x = addLayer(layer, x, mask);
    int head = add("head", 6, 100'000, {20 * size.layers - 1, 20 * size.layers});
    join(x, head);
    if (size.tied)
      join(table, head);
    return std::move(problem);
  }

private:
  int addLayer(int layer, int input, int mask) {
    int64_t now = 20 * layer;
    auto activation = [&](const char *name, double spread, int64_t bytes, int length) {
      int node = add(name, spread, bytes, {now, now + length});
      ++now;
      return node;
    };
    auto weight = [&](const char *name, int64_t bytes) { return add(name, 0, bytes, {0, 20 * size.layers}); };
    int x = activation("x", 0, 100'000, 7), norm = activation("norm", 2, 100'000, 2);
    int w1 = weight("w1", 3'000'000), qkv = activation("qkv", 9, 300'000, 3);
    int q = activation("q", 0, 100'000, 2), k = activation("k", 0, 100'000, 2), v = activation("v", 0, 100'000, 3);
    int scores = activation("scores", 6, 800'000, 2), softmax = activation("softmax", 2, 800'000, 2);
    int mixed = activation("mixed", 6, 100'000, 2), w2 = weight("w2", 1'000'000);
    int projected = activation("projected", 5, 100'000, 2), sum = activation("sum", 1, 100'000, 2);
    int y = activation("y", 0, 100'000, 5), norm2 = activation("norm2", 2, 100'000, 2);
    int w3 = weight("w3", 4'000'000), up = activation("up", 12, 400'000, 2);
    int active = activation("active", 2, 400'000, 2), w4 = weight("w4", 4'000'000);
    int down = activation("down", 12, 100'000, 2), out = activation("out", 1, 100'000, 2);
    for (auto [from, to] : {std::pair(input, x),
                            {x, norm},
                            {norm, qkv},
                            {w1, qkv},
                            {qkv, q},
                            {qkv, k},
                            {qkv, v},
                            {q, scores},
                            {k, scores},
                            {scores, softmax},
                            {softmax, mixed},
                            {v, mixed},
                            {mixed, projected},
                            {w2, projected},
                            {projected, sum},
                            {x, sum},
                            {sum, y},
                            {y, norm2},
                            {norm2, up},
                            {w3, up},
                            {up, active},
                            {active, down},
                            {w4, down},
                            {down, out},
                            {y, out}})
      join(from, to);
    if (mask >= 0)
      join(mask, softmax);
    return out;
  }

  /// Nodes that cost nothing are tensors or weights: a strategy for each layout.
  const Kind &kind(const std::string &name, double spread, int64_t bytes) {
    auto [it, isNew] = kinds.try_emplace(name);
    if (!isNew)
      return it->second;
    Kind &kind = it->second;
    int strategies = spread == 0 ? size.layouts : size.layouts + static_cast<int>(random() % size.layouts);
    std::vector<double> costs;
    std::vector<int64_t> held;
    for (int s = 0; s < strategies; ++s) {
      kind.needs.push_back(s < size.layouts ? s : static_cast<int>(random() % size.layouts));
      kind.gives.push_back(spread == 0 ? s : static_cast<int>(random() % size.layouts));
      int parts = 1 + kind.gives.back() % 8;
      costs.push_back(spread * 1e-6 * double(20 + random() % 100));
      held.push_back(bytes / parts);
    }
    kind.cost = std::move(costs);
    kind.bytes = std::move(held);
    return kind;
  }

  int add(const std::string &name, double spread, int64_t bytes, Interval live) {
    const Kind &made = kind(name, spread, bytes);
    problem.nodes.push_back({name + std::to_string(problem.nodes.size()), made.cost, {{live, made.bytes}}});
    nodeKinds.push_back(name);
    return static_cast<int>(problem.nodes.size()) - 1;
  }

  double reshard(int from, int to) {
    if (reshards.empty())
      for (int i = 0; i < size.layouts * size.layouts; ++i)
        reshards.push_back(1e-6 * double(30 + random() % 600));
    return from == to ? 0 : reshards[from * size.layouts + to];
  }

  void join(int from, int to) {
    const std::string &fromName = nodeKinds[from], &toName = nodeKinds[to];
    SharedTable<double> &table = tables[fromName + " " + toName];
    if (table.empty())
      for (int given : kinds[fromName].gives)
        for (int needed : kinds[toName].needs)
          table.edit().push_back(reshard(given, needed));
    problem.edges.push_back({from, to, table});
  }

  const LayeredSize &size;
  std::mt19937 random{1};
  Problem problem;
  std::vector<std::string> nodeKinds;
  std::map<std::string, Kind> kinds;
  std::map<std::string, SharedTable<double>> tables;
  std::vector<double> reshards;
};
} // namespace

Problem layeredProblem(const LayeredSize &size) { return Builder(size).build(); }

} // namespace froe::test
