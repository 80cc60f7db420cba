#include "Marginals.h"

#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <utility>

namespace froe::fold {

namespace {
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

void takeLeast(std::vector<Number> &values, const std::vector<Number> &others) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::min(values[i], others[i]);
}

/// Of each class of the finer map, that of the coarser one.
std::vector<int> coarser(const LabelMap &fine, const LabelMap &coarse) {
  std::vector<int> classes(fine.classes);
  for (size_t label = 0; label < fine.classOf.size(); ++label)
    classes[fine.classOf[label]] = coarse.classOf[label];
  return classes;
}

/// Adds to the outside of a sum the other summand: the outside of the one.
Matrix outsideOfSummand(const LabelMaps &maps, const Matrix &outside, const Table &sum, const Table &one,
                        const Table &other, const Matrix &otherCore) {
  std::vector<int> rows = coarser(maps[sum.rowMap], maps[one.rowMap]);
  std::vector<int> columns = coarser(maps[sum.columnMap], maps[one.columnMap]);
  std::vector<int> otherRows = coarser(maps[sum.rowMap], maps[other.rowMap]);
  std::vector<int> otherColumns = coarser(maps[sum.columnMap], maps[other.columnMap]);
  Matrix result(maps[one.rowMap].classes, maps[one.columnMap].classes, kInfinity);
  for (int i = 0; i < outside.rows; ++i) {
    const Number *from = outside.row(i), *add = otherCore.row(otherRows[i]);
    Number *to = result.row(rows[i]);
    for (int j = 0; j < outside.columns; ++j)
      to[columns[j]] = std::min(to[columns[j]], from[j] + add[otherColumns[j]]);
  }
  return result;
}
} // namespace

Marginals::Marginals(Trace given) : trace(given), outsides(trace.registers.size()), excess(trace.unaries.size()) {
  groupSteps();
  for (const Group &group : groups | std::views::reverse) {
    const Step &step = *group.steps[0];
    switch (step.kind) {
    case Step::Kind::Free:
      setExcess(group, trace.tables.vectorOf(trace.unaries[step.node]));
      break;
    case Step::Kind::Leaf:
      leaf(group);
      break;
    case Step::Kind::Between:
      between(group);
      break;
    case Step::Kind::Split:
      split(step);
      break;
    }
  }
}

Id Marginals::seen(View view) const {
  return view.flipped ? trace.tables.transposed(trace.registers[view.table]) : trace.registers[view.table];
}

std::array<Id, 7> Marginals::keyOf(const Step &step, const Id *used) const {
  std::array<Id, 7> key = {static_cast<Id>(step.kind), trace.unaries[step.node], -1, -1, -1, -1, -1};
  if (step.kind == Step::Kind::Split)
    key[2] = step.node;
  else
    std::copy_n(used, step.views.size(), key.begin() + 2);
  if (step.sum >= 0)
    key[4] = seen(step.existing);
  return key;
}

/// Like steps are sought among consecutive ones of which none works on what another makes.
void Marginals::groupSteps() {
  std::map<std::array<Id, 7>, size_t> groupOf;
  std::vector<bool> madeTables(trace.registers.size()), changedNodes(trace.unaries.size());
  std::vector<int> tables, nodes; // made and changed since the last time that a step needed one
  const Id *used = trace.used.data();
  for (const Step &step : trace.order.getSteps()) {
    auto isMade = [&](View view) { return view.table >= 0 && madeTables[view.table]; };
    if (changedNodes[step.node] || isMade(step.existing) || std::ranges::any_of(step.views, isMade)) {
      groupOf.clear();
      for (int table : tables)
        madeTables[table] = false;
      for (int node : nodes)
        changedNodes[node] = false;
      tables.clear();
      nodes.clear();
    }
    auto [it, isNew] = groupOf.try_emplace(keyOf(step, used), groups.size());
    if (isNew)
      groups.push_back({{}, used});
    groups[it->second].steps.push_back(&step);
    used += step.views.size();
    for (int table : {step.through, step.sum})
      if (table >= 0) {
        madeTables[table] = true;
        tables.push_back(table);
      }
    auto change = [&](int node) {
      changedNodes[node] = true;
      nodes.push_back(node);
    };
    if (step.kind == Step::Kind::Leaf)
      change(step.neighbours[0]);
    for (size_t copy = 0; step.kind == Step::Kind::Split && copy < step.views.size(); ++copy)
      change(step.firstCopy + static_cast<int>(copy));
  }
}

/// The cheapest label costs nothing more.
void Marginals::setExcess(const Group &group, std::vector<Number> values) {
  Number least = std::ranges::min(values);
  for (Number &value : values)
    value -= least;
  auto shared = std::make_shared<const std::vector<Number>>(std::move(values));
  for (const Step *step : group.steps)
    excess[step->node] = shared;
}

/// Whether one of the tables that `viewOf` a step says was made by a step: only those need an outside.
template <typename ViewOf> bool Marginals::isMade(const Group &group, ViewOf viewOf) const {
  return std::ranges::any_of(group.steps, [&](const Step *step) { return viewOf(*step).table >= trace.givenTables; });
}

/// Hands an outside to the tables that `viewOf` a step says, less what makes the cheapest choice cost nothing: those of
/// different groups are compared.
template <typename ViewOf> void Marginals::give(const Group &group, Matrix outside, ViewOf viewOf) {
  const Matrix &core = trace.tables.coreOf(seen(viewOf(*group.steps[0])));
  Number least = kInfinity;
  for (size_t i = 0; i < core.values.size(); ++i)
    least = std::min(least, core.values[i] + outside.values[i]);
  if (least != kInfinity)
    for (Number &value : outside.values)
      value -= least;
  Outside turned = std::make_shared<const Matrix>(transpose(outside)),
          straight = std::make_shared<const Matrix>(std::move(outside));
  for (const Step *step : group.steps) {
    View view = viewOf(*step);
    outsides[view.table] = view.flipped ? turned : straight;
  }
}

Matrix Marginals::outsideOf(const Group &group, int Step::*table) const {
  const Outside *last = &outsides[group.steps[0]->*table];
  Matrix least = **last;
  for (const Step *step : group.steps)
    if (const Outside &outside = outsides[step->*table]; outside != *last) {
      takeLeast(least.values, outside->values);
      last = &outside;
    }
  return least;
}

void Marginals::leaf(const Group &group) {
  const Step &step = *group.steps[0];
  Id id = group.used[0], unary = trace.unaries[step.node];
  const std::vector<Number> &message = trace.tables.vectorOf(trace.tables.message(unary, id).id);
  std::vector<Number> rest(message.size(), kInfinity); // of the neighbour, without this message
  const std::vector<Number> *last = nullptr;
  for (const Step *like : group.steps) {
    const std::vector<Number> &all = *excess[like->neighbours[0]];
    if (&all == std::exchange(last, &all))
      continue;
    for (size_t label = 0; label < rest.size(); ++label)
      if (message[label] != kInfinity)
        rest[label] = std::min(rest[label], all[label] - message[label]);
  }
  const Table table = trace.tables.tableOf(id);
  const Matrix &core = trace.tables.coreOf(id);
  const LabelMaps &maps = trace.tables.labelMaps();
  std::vector<Number> restOfClass = leastOfClasses(rest, maps[table.columnMap]), ownRest(core.rows, kInfinity);
  for (int i = 0; i < core.rows; ++i)
    for (int j = 0; j < core.columns; ++j)
      ownRest[i] = std::min(ownRest[i], core.row(i)[j] + restOfClass[j]);
  const std::vector<Number> &own = trace.tables.vectorOf(unary);
  std::vector<Number> values(own.size());
  for (size_t label = 0; label < own.size(); ++label)
    values[label] = own[label] + ownRest[maps[table.rowMap].classOf[label]];
  setExcess(group, std::move(values));
  if (!isMade(group, [](const Step &step) { return step.views[0]; }))
    return;
  std::vector<Number> ownOfClass = leastOfClasses(own, maps[table.rowMap]);
  Matrix outside(core.rows, core.columns);
  for (int i = 0; i < core.rows; ++i)
    for (int j = 0; j < core.columns; ++j)
      outside.row(i)[j] = ownOfClass[i] + restOfClass[j];
  give(group, std::move(outside), [](const Step &step) { return step.views[0]; });
}

void Marginals::between(const Group &group) {
  const Step &step = *group.steps[0];
  Tables &tables = trace.tables;
  LabelMaps &maps = tables.labelMaps();
  Id through = trace.registers[step.through];
  Matrix outside;
  if (step.sum < 0) {
    outside = outsideOf(group, &Step::through);
  } else {
    Matrix ofSum = outsideOf(group, &Step::sum);
    Id sum = trace.registers[step.sum], existing = seen(step.existing);
    outside = outsideOfSummand(maps, ofSum, tables.tableOf(sum), tables.tableOf(through), tables.tableOf(existing),
                               tables.coreOf(existing));
    if (isMade(group, [](const Step &step) { return step.existing; })) {
      Matrix other = outsideOfSummand(maps, ofSum, tables.tableOf(sum), tables.tableOf(existing),
                                      tables.tableOf(through), tables.coreOf(through));
      give(group, std::move(other), [](const Step &step) { return step.existing; });
    }
  }
  Id leftId = group.used[0], rightId = group.used[1];
  const Table left = tables.tableOf(leftId), right = tables.tableOf(rightId);
  const Matrix &leftCore = tables.coreOf(leftId), &rightCore = tables.coreOf(rightId);
  const Join &join = maps.join(left.rowMap, right.rowMap);
  const std::vector<Number> &own = tables.vectorOf(trace.unaries[step.node]);
  std::vector<Number> ownOfPair = leastOfClasses(own, maps[join.map]);
  bool giveLeft = isMade(group, [](const Step &step) { return step.views[0]; });
  bool giveRight = isMade(group, [](const Step &step) { return step.views[1]; });
  std::vector<Number> restOfPair(ownOfPair.size(), kInfinity);
  auto pass = [&](bool fromLeft, bool givesOther) {
    // What the node and all behind the one table cost, for each label behind the other.
    Matrix cost = fromLeft ? minPlus(leftCore, outside) : minPlus(rightCore, transpose(outside));
    const Matrix &other = fromLeft ? rightCore : leftCore;
    Matrix result(other.rows, other.columns, kInfinity);
    for (size_t pair = 0; pair < ownOfPair.size(); ++pair) {
      auto [i, j] = join.parts[pair];
      int row = fromLeft ? i : j, otherRow = fromLeft ? j : i;
      const Number *a = cost.row(row), *b = other.row(otherRow);
      Number least = kInfinity;
      for (int k = 0; k < other.columns; ++k)
        least = std::min(least, a[k] + b[k]);
      restOfPair[pair] = least;
      if (givesOther)
        relax(result.row(otherRow), a, ownOfPair[pair], other.columns);
    }
    if (givesOther)
      give(group, std::move(result), [&](const Step &step) { return step.views[fromLeft ? 1 : 0]; });
  };
  if (giveRight || !giveLeft)
    pass(true, giveRight);
  if (giveLeft)
    pass(false, true);
  std::vector<Number> values(own.size());
  for (size_t label = 0; label < own.size(); ++label)
    values[label] = own[label] + restOfPair[maps[join.map].classOf[label]];
  setExcess(group, std::move(values));
  for (const Step *like : group.steps)
    outsides[like->through] = outsides[like->sum >= 0 ? like->sum : like->through] = nullptr; // no more needed
}

/// Copies agree in all true choices: what one of them makes dearer is dearer.
void Marginals::split(const Step &step) {
  std::vector<Number> most(trace.tables.vectorOf(trace.unaries[step.node]).size(), 0);
  for (size_t k = 0; k < step.views.size(); ++k) {
    const std::vector<Number> &copy = *excess[step.firstCopy + k];
    for (size_t label = 0; label < most.size(); ++label)
      most[label] = std::max(most[label], copy[label]);
  }
  excess[step.node] = std::make_shared<const std::vector<Number>>(std::move(most));
}

} // namespace froe::fold
