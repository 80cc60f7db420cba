#include "FoldOrder.h"

#include <algorithm>

namespace froe::fold {

namespace {
/// First words of tokens.
enum Word { kView, kColour, kGivenTable, kLeaf, kBetween, kSum, kMessage, kCopy, kFree };
} // namespace

FoldOrder::FoldOrder(const Shape &shape, LabelMaps &maps, const std::vector<int> &kept) : maps(maps) {
  for (const Shape::Node &node : shape.nodes)
    nodes.push_back({tokenOf({kColour, node.colour}), node.labels, static_cast<int>(nodes.size()), {}});
  for (const Shape::Edge &edge : shape.edges) {
    int table = static_cast<int>(registers.size());
    registers.push_back({tokenOf({kGivenTable, edge.table}), edge.rowMap, edge.columnMap});
    nodes[edge.from].links[edge.to] = {table, false};
    nodes[edge.to].links[edge.from] = {table, true};
  }
  for (int node : kept)
    nodes[node].kept = true;
  for (int node = 0; node < nodeCount(); ++node)
    enqueue(node);
  for (;;) {
    while (!queue.empty()) {
      auto [key, members] = *queue.begin(); // a copy: elimination changes the queue
      for (int node : members)
        if (!nodes[node].gone && nodes[node].key == key)
          eliminate(node);
    }
    if (std::ranges::all_of(nodes, [](const Node &node) { return node.gone || node.kept; }))
      return;
    split();
  }
}

int FoldOrder::tokenOf(std::array<int, 6> content) {
  return tokens.try_emplace(content, static_cast<int>(tokens.size())).first->second;
}

std::vector<std::pair<int, View>> FoldOrder::sortedLinks(int node) {
  std::vector<std::pair<int, View>> links(nodes[node].links.begin(), nodes[node].links.end());
  if (links.size() == 2 && viewToken(links[1].second) < viewToken(links[0].second))
    std::swap(links[0], links[1]);
  return links;
}

FoldOrder::Key FoldOrder::keyOf(int index) {
  const Node &node = nodes[index];
  std::vector<std::pair<int, View>> links = sortedLinks(index);
  if (links.empty())
    return {node.labels, tokenOf({kFree, node.token})};
  View first = links[0].second;
  double own = classesOf(first, true), other = classesOf(first, false);
  if (links.size() == 1)
    return {own * other, tokenOf({kLeaf, node.token, viewToken(first)})};
  View second = links[1].second;
  double ownSecond = classesOf(second, true), otherSecond = classesOf(second, false);
  return {other * otherSecond * std::min(own, ownSecond),
          tokenOf({kBetween, node.token, viewToken(first), viewToken(second)})};
}

/// Puts the node where it belongs now.
void FoldOrder::enqueue(int index) {
  Node &node = nodes[index];
  if (auto it = queue.find(node.key); it != queue.end()) {
    it->second.erase(index);
    if (it->second.empty())
      queue.erase(it);
  }
  node.key = {-1, -1};
  if (node.gone || node.kept || node.links.size() > 2)
    return;
  node.key = keyOf(index);
  queue[node.key].insert(index);
}

void FoldOrder::addUnary(int node, int token) { nodes[node].token = tokenOf({kMessage, nodes[node].token, token}); }

void FoldOrder::eliminate(int index) {
  std::vector<std::pair<int, View>> links = sortedLinks(index);
  Step step{links.empty() ? Step::Kind::Free : links.size() == 1 ? Step::Kind::Leaf : Step::Kind::Between, index};
  for (auto [neighbour, view] : links) {
    step.neighbours.push_back(neighbour);
    step.views.push_back(view);
    nodes[neighbour].links.erase(index);
  }
  Key key = nodes[index].key;
  if (worked.insert(key.second).second)
    work += key.first;
  if (step.kind == Step::Kind::Leaf)
    addUnary(step.neighbours[0], key.second);
  if (step.kind == Step::Kind::Between)
    eliminateBetween(step);
  nodes[index].gone = true;
  enqueue(index);
  for (int neighbour : step.neighbours)
    enqueue(neighbour);
  steps.push_back(std::move(step));
}

void FoldOrder::eliminateBetween(Step &step) {
  int first = step.neighbours[0], second = step.neighbours[1];
  View joined{static_cast<int>(registers.size()), false};
  step.through = joined.table;
  registers.push_back({nodes[step.node].key.second, mapOf(step.views[0], false), mapOf(step.views[1], false)});
  if (auto it = nodes[first].links.find(second); it != nodes[first].links.end()) {
    step.existing = it->second;
    step.sum = static_cast<int>(registers.size());
    registers.push_back({tokenOf({kSum, registers[step.through].token, viewToken(step.existing)}),
                         maps.join(mapOf(step.existing, true), registers[step.through].rowMap).map,
                         maps.join(mapOf(step.existing, false), registers[step.through].columnMap).map});
    joined.table = step.sum;
  }
  nodes[first].links[second] = joined;
  nodes[second].links[first] = {joined.table, true};
}

/// Where every node has three neighbours or more, the one with most is replaced by a copy for each neighbour.
void FoldOrder::split() {
  int hub = -1;
  for (int node = 0; node < nodeCount(); ++node)
    if (!nodes[node].gone && !nodes[node].kept && (hub < 0 || nodes[node].links.size() > nodes[hub].links.size()))
      hub = node;
  Step step{Step::Kind::Split, hub};
  step.firstCopy = nodeCount();
  std::map<int, View> links = std::move(nodes[hub].links);
  nodes[hub].links.clear();
  nodes[hub].gone = true;
  int token = tokenOf({kCopy, nodes[hub].token, static_cast<int>(links.size())}), labels = nodes[hub].labels;
  for (auto [neighbour, view] : links) {
    int copy = nodeCount();
    step.neighbours.push_back(neighbour);
    step.views.push_back(view);
    nodes.push_back({token, labels, nodes[hub].original, {{neighbour, view}}});
    nodes[neighbour].links.erase(hub);
    nodes[neighbour].links[copy] = {view.table, !view.flipped};
  }
  for (int copy = step.firstCopy; copy < nodeCount(); ++copy)
    enqueue(copy);
  for (int neighbour : step.neighbours)
    enqueue(neighbour);
  steps.push_back(std::move(step));
}

} // namespace froe::fold
