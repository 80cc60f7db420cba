#include "Fold.h"

#include <algorithm>
#include <limits>

namespace froe::fold {

Fold::Fold(const Model &model, Tables &tables) : model(model), tables(tables) {
  prepare();
  order = std::make_unique<FoldOrder>(shape(), tables.labelMaps());
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

Id Fold::unaryOf(int index, const Pricing &pricing) {
  const Model::Node &node = model.nodes[index];
  Id id = take(tables.vector(node.cost));
  for (const Model::Use &use : node.uses)
    id = take(tables.priced(id, use.bytes, pricing.of(index).of(use.begin, use.end)));
  return id;
}

double Fold::run(const Pricing &pricing, const std::vector<Restriction> &restrictions) {
  prepare();
  constant = baseOffset;
  unaries.clear();
  for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node)
    unaries.push_back(unaryOf(node, pricing));
  for (const Restriction &restriction : restrictions)
    unaries[restriction.node] =
        take(tables.restrict(unaries[restriction.node], restriction.label, restriction.excluded));
  unaries.resize(order->nodeCount());
  registers = base;
  registers.resize(order->tableCount());
  used.assign(order->getSteps().size(), {});
  for (size_t i = 0; i < used.size(); ++i)
    apply(i, order->getSteps()[i]);
  return constant;
}

void Fold::apply(size_t index, const Step &step) {
  for (View view : step.views)
    used[index].push_back(seen(view));
  Id own = unaries[step.node];
  switch (step.kind) {
  case Step::Kind::Free:
    break; // its cheapest label costs nothing more than what is taken out already
  case Step::Kind::Leaf: {
    Id message = take(tables.message(own, used[index][0]));
    Id &target = unaries[step.neighbours[0]];
    target = take(tables.sum(target, message));
    break;
  }
  case Step::Kind::Between:
    registers[step.through] = take(tables.through(own, used[index][0], used[index][1]));
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
int Fold::answer(size_t index, const std::vector<int> &labels) {
  const Step &step = order->getSteps()[index];
  bool repeats = step.views.size() <= 2;
  std::array<int, 5> question = {unaries[step.node], -1, -1, -1, -1};
  for (size_t k = 0; repeats && k < step.views.size(); ++k) {
    question[1 + 2 * k] = used[index][k];
    question[2 + 2 * k] = labels[step.neighbours[k]];
  }
  if (repeats)
    if (auto it = answers.find(question); it != answers.end())
      return it->second;
  std::vector<Number> costs = tables.vectorOf(unaries[step.node]);
  for (size_t k = 0; k < step.views.size(); ++k)
    tables.addColumn(used[index][k], labels[step.neighbours[k]], costs);
  int label = static_cast<int>(std::ranges::min_element(costs) - costs.begin());
  if (repeats)
    answers.emplace(question, label);
  return label;
}

std::vector<int> Fold::decode() {
  disputed = -1;
  std::vector<int> labels(order->nodeCount(), 0);
  for (size_t i = used.size(); i-- > 0;) {
    const Step &step = order->getSteps()[i];
    int label = labels[step.node] = answer(i, labels);
    if (step.kind == Step::Kind::Split)
      for (size_t k = 0; k < step.views.size(); ++k)
        if (labels[step.firstCopy + k] != label)
          disputed = order->original(step.node);
  }
  labels.resize(model.nodes.size());
  return labels;
}

} // namespace froe::fold
