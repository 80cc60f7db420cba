#include "Forest.h"

#include <algorithm>

namespace froe {

Forest::Forest(const Core &core)
    : core(core), inside(core.size(), 0), touched(core.size(), 0), touches(core.size(), 0), placeOf(core.size(), 0) {}

void Forest::add(const Candidate &candidate) {
  int place = static_cast<int>(order.size());
  inside[candidate.node] = stamp;
  placeOf[candidate.node] = place;
  order.push_back(candidate.node);
  parent.push_back(candidate.parentPlace);
  arcToParent.push_back(candidate.arc);
  const Core::Node &node = core.nodes[candidate.node];
  for (int a = node.firstArc; a < node.endArc; ++a) {
    int other = core.arcs[a].other;
    if (touched[other] != stamp) {
      touched[other] = stamp;
      touches[other] = 0;
    }
    // Two neighbours inside would close a circle, or join two trees.
    if (++touches[other] == 1 && inside[other] != stamp)
      frontier.push_back({other, place, core.arcs[a].reverse});
  }
  work += 4 * (node.endArc - node.firstArc);
}

void Forest::grow(const std::vector<int> &seeds, int size, bool breadthFirst, Random &random) {
  ++stamp;
  frontier.clear();
  order.clear();
  parent.clear();
  arcToParent.clear();
  auto free = [&](int node) { return inside[node] != stamp; };
  auto expand = [&](int until) {
    for (size_t next = 0; static_cast<int>(order.size()) < until && next < frontier.size();) {
      if (!breadthFirst)
        std::swap(frontier[next], frontier[next + random.below(static_cast<int>(frontier.size() - next))]);
      Candidate candidate = frontier[next++];
      if (free(candidate.node) && touches[candidate.node] == 1)
        add(candidate);
    }
  };
  // All seeds first, so that they grow side by side; a whole cover grows tree by tree.
  bool cover = size >= core.size();
  for (int seed : seeds)
    if (free(seed) && (touched[seed] != stamp || touches[seed] == 0)) {
      add({seed, -1, -1});
      if (cover) {
        expand(size);
        frontier.clear();
      }
    }
  expand(size);
}

void Forest::gatherCosts(const std::vector<int> &labels) {
  start.clear();
  own.clear();
  for (int number : order) {
    const Core::Node &node = core.nodes[number];
    start.push_back(static_cast<int64_t>(own.size()));
    own.insert(own.end(), core.costs.begin() + node.cost, core.costs.begin() + node.cost + node.labels);
    double *costs = own.data() + start.back();
    for (int a = node.firstArc; a < node.endArc; ++a) {
      const Core::Arc &arc = core.arcs[a];
      if (contains(arc.other))
        continue;
      const double *row = &core.matrices[core.arcs[arc.reverse].matrix + int64_t(labels[arc.other]) * node.labels];
      for (int k = 0; k < node.labels; ++k)
        costs[k] += row[k];
    }
    work += int64_t(node.endArc - node.firstArc + 2) * (node.labels + 8);
  }
}

double Forest::valueOf(const std::vector<double> &costs, const std::vector<int> &chosen) const {
  double value = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    value += costs[start[i] + chosen[i]];
    if (parent[i] >= 0)
      value += core.matrices[core.arcs[arcToParent[i]].matrix +
                             int64_t(chosen[i]) * core.nodes[order[parent[i]]].labels + chosen[parent[i]]];
  }
  return value;
}

const std::vector<int> &Forest::solve() {
  total = own;
  int count = static_cast<int>(order.size());
  for (int place = count - 1; place >= 0; --place) {
    if (parent[place] < 0)
      continue;
    int rows = core.nodes[order[place]].labels, columns = core.nodes[order[parent[place]]].labels;
    sent.resize(columns + kLanes);
    minPlus(&total[start[place]], &core.matrices[core.arcs[arcToParent[place]].matrix], rows, columns, sent.data());
    double *into = &total[start[parent[place]]];
    for (int j = 0; j < columns; ++j)
      into[j] += sent[j];
    work += int64_t(rows) * columns + columns + 8;
  }
  best.resize(count);
  for (int place = 0; place < count; ++place) {
    const double *costs = &total[start[place]];
    int labels = core.nodes[order[place]].labels, chosen = 0;
    const double *row = nullptr;
    if (parent[place] >= 0)
      row = &core.matrices[core.arcs[core.arcs[arcToParent[place]].reverse].matrix +
                           int64_t(best[parent[place]]) * labels];
    double least = costs[0] + (row ? row[0] : 0);
    for (int k = 1; k < labels; ++k)
      if (double cost = costs[k] + (row ? row[k] : 0); cost < least) {
        least = cost;
        chosen = k;
      }
    best[place] = chosen;
  }
  return best;
}

} // namespace froe
