#include "Elimination.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace froe {

namespace {
constexpr double kMaxTableWork = 1 << 20;
}

Unaries pricedUnaries(const Model &model, const std::vector<double> &slotPrices) {
  std::vector<double> sums(slotPrices.size() + 1, 0);
  std::partial_sum(slotPrices.begin(), slotPrices.end(), sums.begin() + 1);
  Unaries unaries;
  for (const Model::Node &node : model.nodes) {
    unaries.push_back(node.cost);
    for (const Model::Use &use : node.uses) {
      double price = sums[use.end] - sums[use.begin];
      for (size_t label = 0; price > 0 && label < use.bytes.size(); ++label)
        unaries.back()[label] += price * double(use.bytes[label]);
    }
  }
  return unaries;
}

Elimination::Elimination(const Model &model)
    : model(model), tablesOf(model.nodes.size()), bucketsOf(model.nodes.size()) {
  for (int e = 0; e < static_cast<int>(model.edges.size()); ++e)
    addTable({model.edges[e].a, model.edges[e].b}, e);
  std::set<std::pair<double, int>> queue;
  std::vector<double> key(model.nodes.size());
  for (int node = 0; node < static_cast<int>(model.nodes.size()); ++node)
    queue.emplace(key[node] = messageSize(node), node);
  while (!queue.empty()) {
    int node = queue.begin()->second;
    queue.erase(queue.begin());
    std::set<int> affected;
    for (int t : tablesOf[node])
      affected.insert(tables[t].scope.begin(), tables[t].scope.end());
    affected.erase(node);
    eliminate(node);
    for (int other : affected) {
      queue.erase({key[other], other});
      queue.emplace(key[other] = messageSize(other), other);
    }
  }
  std::ranges::reverse(decisions);
}

int Elimination::addTable(std::vector<int> scope, int edge) {
  int index = static_cast<int>(tables.size());
  Table table{std::move(scope), {}, edge, 1};
  for (int node : table.scope) {
    table.size *= model.nodes[node].labels();
    tablesOf[node].push_back(index);
  }
  tables.push_back(std::move(table));
  return index;
}

/// Entries to look at when `node` goes.
double Elimination::messageSize(int node) const {
  std::set<int> scope = {node};
  for (int t : tablesOf[node])
    scope.insert(tables[t].scope.begin(), tables[t].scope.end());
  double size = 1;
  for (int other : scope)
    size *= model.nodes[other].labels();
  return size;
}

void Elimination::eliminate(int node) {
  std::vector<int> inputs = std::move(tablesOf[node]);
  tablesOf[node].clear();
  for (int t : inputs)
    for (int other : tables[t].scope)
      if (other != node)
        std::erase(tablesOf[other], t);
  // Large tables first: the small ones then fill up what room is left.
  std::ranges::sort(inputs, {}, [&](int t) { return std::pair(-tables[t].size, t); });
  int first = static_cast<int>(buckets.size());
  bool hasUnary = true;
  do {
    std::vector<int> group, rest;
    std::set<int> scope = {node};
    double size = model.nodes[node].labels();
    for (int t : inputs) {
      double grown = size;
      for (int other : tables[t].scope)
        if (!scope.contains(other))
          grown *= model.nodes[other].labels();
      bool take = group.empty() || grown <= kMaxTableWork;
      (take ? group : rest).push_back(t);
      if (take) {
        size = grown;
        scope.insert(tables[t].scope.begin(), tables[t].scope.end());
      }
    }
    exact &= rest.empty();
    addBucket(node, std::move(group), hasUnary);
    hasUnary = false;
    inputs = std::move(rest);
  } while (!inputs.empty());
  bucketsOf[node] = {first, static_cast<int>(buckets.size())};
  decisions.push_back(node);
}

void Elimination::addBucket(int node, std::vector<int> inputs, bool hasUnary) {
  std::set<int> scope;
  for (int t : inputs)
    scope.insert(tables[t].scope.begin(), tables[t].scope.end());
  scope.erase(node);
  int message = addTable({scope.begin(), scope.end()}, -1);
  tables[message].values.resize(tables[message].size);
  totalWork += double(tables[message].size) * model.nodes[node].labels() * double(inputs.size() + 1);
  buckets.push_back({node, hasUnary, std::move(inputs), message});
}

int64_t Elimination::stride(const Table &table, int node) const {
  int64_t product = 1;
  for (size_t i = table.scope.size(); i-- > 0 && table.scope[i] != node;)
    product *= model.nodes[table.scope[i]].labels();
  return product;
}

/// Where the entries for `labels` begin, with label 0 for the node `without`.
int64_t Elimination::offset(const Table &table, int without, const std::vector<int> &labels) const {
  int64_t result = 0;
  for (int node : table.scope)
    result = result * model.nodes[node].labels() + (node == without ? 0 : labels[node]);
  return result;
}

void Elimination::addSlice(const Bucket &bucket, const std::vector<int> &labels, std::vector<double> &sum) const {
  for (int t : bucket.inputs) {
    const Table &table = tables[t];
    const double *values = valuesOf(table) + offset(table, bucket.node, labels);
    int64_t step = stride(table, bucket.node);
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += values[i * step];
  }
}

double Elimination::run(const Unaries &newUnaries) {
  unaries = newUnaries;
  double bound = 0;
  for (const Bucket &bucket : buckets) {
    minimise(bucket);
    if (tables[bucket.message].scope.empty())
      bound += tables[bucket.message].values[0];
  }
  return bound;
}

namespace {
/// The smallest of sum + addend; several minima at once keep the processor's pipelines busy.
double smallestOf(const double *sum, const double *addend, size_t count) {
  constexpr size_t kLanes = 4;
  double least[kLanes];
  std::ranges::fill(least, std::numeric_limits<double>::infinity());
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane)
      least[lane] = std::min(least[lane], sum[i + lane] + addend[i + lane]);
  for (; i < count; ++i)
    least[0] = std::min(least[0], sum[i] + addend[i]);
  return std::ranges::min(least);
}
} // namespace

/// An input of a bucket with the labels of the bucket's node innermost.
struct Elimination::Packed {
  std::vector<double> values;
  std::vector<int64_t> moves; ///< how far a label of each node of the message's scope moves
  size_t level = 0;           ///< one more than the last of those that move it at all
};

Elimination::Packed Elimination::pack(const Table &table, const Bucket &bucket) const {
  const std::vector<int> &scope = tables[bucket.message].scope;
  int64_t count = model.nodes[bucket.node].labels(), inner = stride(table, bucket.node),
          outer = table.size / inner / count;
  Packed packed;
  packed.values.resize(table.size);
  const double *values = valuesOf(table);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t label = 0; label < count; ++label)
      for (int64_t i = 0; i < inner; ++i)
        packed.values[(o * inner + i) * count + label] = values[(o * count + label) * inner + i];
  for (size_t d = 0; d < scope.size(); ++d) {
    bool moves = std::ranges::count(table.scope, scope[d]) > 0;
    int64_t step = moves ? stride(table, scope[d]) : 0;
    packed.moves.push_back(step >= inner * count ? step : step * count);
    packed.level = moves ? d + 1 : packed.level;
  }
  return packed;
}

void Elimination::minimise(const Bucket &bucket) {
  Table &message = tables[bucket.message];
  size_t count = model.nodes[bucket.node].strategy.size(), depth = message.scope.size();
  std::vector<Packed> inputs;
  for (int t : bucket.inputs)
    inputs.push_back(pack(tables[t], bucket));
  // sums[d]: unary costs and the inputs that depend on none but the first d nodes of the scope. The inputs of the last
  // level go to `last`.
  std::vector<std::vector<double>> sums(depth + 1, std::vector<double>(count, 0));
  std::vector<int> labels(depth, 0);
  std::vector<double> last(count);
  if (bucket.hasUnary)
    sums[0] = unaries[bucket.node];
  auto addLevel = [&](size_t level, std::vector<double> &to) {
    for (const Packed &input : inputs) {
      if (input.level != level)
        continue;
      const double *values = input.values.data();
      for (size_t d = 0; d < level; ++d)
        values += labels[d] * input.moves[d];
      for (size_t label = 0; label < count; ++label)
        to[label] += values[label];
    }
  };
  addLevel(0, sums[0]);
  size_t changed = 0; // the first node of the scope whose label is new
  for (double &value : message.values) {
    for (size_t d = changed; d + 1 < depth; ++d) {
      sums[d + 1] = sums[d];
      addLevel(d + 1, sums[d + 1]);
    }
    std::ranges::fill(last, 0);
    if (depth > 0)
      addLevel(depth, last);
    value = smallestOf(sums[depth > 0 ? depth - 1 : 0].data(), last.data(), count);
    for (changed = depth; changed-- > 0;) {
      if (++labels[changed] < model.nodes[message.scope[changed]].labels())
        break;
      labels[changed] = 0;
    }
  }
}

void Elimination::increases(int node, const std::vector<int> &labels, std::vector<double> &result) const {
  result = unaries[node];
  double paid = 0;
  for (int b = bucketsOf[node].first; b < bucketsOf[node].second; ++b) {
    addSlice(buckets[b], labels, result);
    const Table &message = tables[buckets[b].message];
    paid += message.values[offset(message, -1, labels)];
  }
  // An infinite message comes from infinite values alone, which stay so.
  if (paid != std::numeric_limits<double>::infinity())
    for (double &value : result)
      value -= paid;
}

std::vector<int> Elimination::decode() {
  std::vector<int> labels(model.nodes.size(), 0);
  std::vector<double> values;
  for (int node : decisions) {
    increases(node, labels, values);
    labels[node] = static_cast<int>(std::ranges::min_element(values) - values.begin());
  }
  return labels;
}

} // namespace froe
