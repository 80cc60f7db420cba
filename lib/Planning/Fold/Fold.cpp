#include "Fold.h"

#include <algorithm>
#include <ranges>

namespace froe::fold {

Fold::Fold(const Model &model, Tables &tables, const std::vector<int> &kept) : model(model), tables(tables) {
  prepare();
  order = std::make_unique<FoldOrder>(shape(), tables.labelMaps(), kept);
  for (const Step &step : order->getSteps())
    if (step.kind == Step::Kind::Split)
      hubNodes.push_back(order->original(step.node));
  std::ranges::sort(hubNodes);
  hubNodes.erase(std::unique(hubNodes.begin(), hubNodes.end()), hubNodes.end());
}

/// Makes the edges' tables known.
void Fold::prepare() {
  tables.trim();
  if (generation == tables.getGeneration())
    return;
  generation = tables.getGeneration();
  base.clear();
  answers.clear();
  baseOffset = 0;
  for (const Model::Edge &edge : model.edges) {
    Found found = tables.table(edge.cost, model.nodes[edge.a].labels(), model.nodes[edge.b].labels());
    base.push_back(found.id);
    baseOffset += found.offset;
  }
  costs.clear();
  bytes.clear();
  for (const Model::Node &node : model.nodes) {
    Found found = tables.vector(node.cost);
    costs.push_back(found.id);
    baseOffset += found.offset;
    for (const Model::Use &use : node.uses)
      bytes.push_back(tables.bytes(use.bytes));
  }
}

Shape Fold::shape() {
  Shape shape;
  std::map<std::vector<int>, int> colours;
  for (const Model::Node &node : model.nodes) {
    std::vector<int> content = {tables.vector(node.cost).id};
    for (const Model::Use &use : node.uses)
      content.push_back(tables.bytes(use.bytes));
    int colour = colours.try_emplace(std::move(content), static_cast<int>(colours.size())).first->second;
    shape.nodes.push_back({colour, node.labels()});
  }
  for (size_t e = 0; e < base.size(); ++e) {
    const Table &table = tables.tableOf(base[e]);
    shape.edges.push_back({model.edges[e].a, model.edges[e].b, base[e], table.rowMap, table.columnMap});
  }
  return shape;
}

void Fold::price(const Pricing &pricing) {
  unaries = costs;
  size_t next = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const SlotPrices &prices = pricing.of(static_cast<int>(i));
    for (const Model::Use &use : model.nodes[i].uses)
      unaries[i] = take(tables.priced(unaries[i], bytes[next++], prices.of(use.begin, use.end)));
  }
}

double Fold::run(const Pricing &pricing, const std::vector<Restriction> &restrictions) {
  prepare();
  constant = baseOffset;
  price(pricing);
  for (const Restriction &restriction : restrictions)
    unaries[restriction.node] =
        take(tables.restrict(unaries[restriction.node], restriction.label, restriction.excluded));
  unaries.resize(order->nodeCount());
  registers = base;
  registers.resize(order->tableCount());
  used.clear();
  for (const Step &step : order->getSteps())
    apply(step);
  return constant;
}

void Fold::apply(const Step &step) {
  size_t begin = used.size();
  for (View view : step.views)
    used.push_back(seen(view));
  Id own = unaries[step.node];
  switch (step.kind) {
  case Step::Kind::Free:
    break; // its cheapest label costs nothing more than what is taken out already
  case Step::Kind::Leaf: {
    Id message = take(tables.message(own, used[begin]));
    Id &target = unaries[step.neighbours[0]];
    target = take(tables.sum(target, message));
    break;
  }
  case Step::Kind::Between:
    registers[step.through] = take(tables.through(own, used[begin], used[begin + 1]));
    if (step.sum >= 0)
      registers[step.sum] = take(tables.sumTables(registers[step.through], seen(step.existing)));
    break;
  case Step::Kind::Split:
    for (size_t i = 0; i < step.views.size(); ++i)
      unaries[step.firstCopy + i] = take(tables.share(own, static_cast<int>(step.views.size())));
    break;
  }
}

size_t Fold::Hash::operator()(const std::array<int, 5> &words) const {
  uint64_t hash = 0;
  for (int word : words)
    hash = (hash ^ static_cast<uint32_t>(word)) * 0x9e3779b97f4a7c15 ^ hash >> 31;
  return hash;
}

/// The cheapest label of a step's node; equal questions have equal answers.
int Fold::answer(const Step &step, const Id *links, const std::vector<int> &labels) {
  bool repeats = step.views.size() <= 2;
  std::array<int, 5> question = {unaries[step.node], -1, -1, -1, -1};
  for (size_t k = 0; repeats && k < step.views.size(); ++k) {
    question[1 + 2 * k] = links[k];
    question[2 + 2 * k] = labels[step.neighbours[k]];
  }
  if (repeats)
    if (auto it = answers.find(question); it != answers.end())
      return it->second;
  std::vector<Number> costs = tables.vectorOf(unaries[step.node]);
  for (size_t k = 0; k < step.views.size(); ++k)
    tables.addColumn(links[k], labels[step.neighbours[k]], costs);
  int label = static_cast<int>(std::ranges::min_element(costs) - costs.begin());
  if (repeats)
    answers.emplace(question, label);
  return label;
}

std::vector<int> Fold::decode() {
  disputed = -1;
  std::vector<int> labels(order->nodeCount(), 0);
  const Id *links = used.data() + used.size();
  for (const Step &step : order->getSteps() | std::views::reverse) {
    links -= step.views.size();
    int label = labels[step.node] = answer(step, links, labels);
    if (step.kind == Step::Kind::Split)
      for (size_t k = 0; k < step.views.size(); ++k)
        if (labels[step.firstCopy + k] != label)
          disputed = order->original(step.node);
  }
  labels.resize(model.nodes.size());
  return labels;
}

} // namespace froe::fold
