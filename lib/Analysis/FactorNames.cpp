#include "FactorNames.h"

#include "dialects/Froe/DimNames.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <numeric>
#include <set>

namespace froe {

namespace {

/// What a cut of the dim falls on: its first factor that can be cut; -1 for a dim without factors.
int majorFactor(const Rule &rule, const DimFactors &dim) {
  for (int factor : dim)
    if (rule.factors[factor].size > 1)
      return factor;
  return dim.empty() ? -1 : dim.front();
}

const TensorFactors &operandFactors(const GraphNode &node, int operand) {
  return node.kind == GraphNode::Kind::Op ? node.rule.operands[operand] : node.rule.results[0];
}

bool occurs(int factor, const TensorFactors &tensor) {
  return llvm::any_of(tensor, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// Factors of all nodes, and which of them are one class.
class FactorClasses {
public:
  explicit FactorClasses(const ProgramGraph &graph) : graph(graph) {
    for (const GraphNode &node : graph.nodes) {
      first.push_back(static_cast<int>(parent.size()));
      for (size_t f = 0; f < node.rule.factors.size(); ++f)
        parent.push_back(static_cast<int>(parent.size()));
    }
    for (const GraphEdge &edge : graph.edges)
      for (int operand : edge.operands)
        join(edge, operand);
  }

  int classOf(size_t node, int factor) const { return find(first[node] + factor); }

private:
  void join(const GraphEdge &edge, int operand) {
    const GraphNode &from = graph.nodes[edge.from], &to = graph.nodes[edge.to];
    const TensorFactors &given = from.rule.results[edge.result], &taken = operandFactors(to, operand);
    for (size_t d = 0; d < std::min(given.size(), taken.size()); ++d) {
      int one = majorFactor(from.rule, given[d]), other = majorFactor(to.rule, taken[d]);
      if (one >= 0 && other >= 0)
        parent[find(first[edge.from] + one)] = find(first[edge.to] + other);
    }
  }

  int find(int slot) const {
    while (parent[slot] != slot)
      slot = parent[slot] = parent[parent[slot]];
    return slot;
  }

  const ProgramGraph &graph;
  std::vector<int> first; ///< slot of each node's first factor
  mutable std::vector<int> parent;
};

/// Gives classes their names, the surest first.
class ClassNaming {
public:
  ClassNaming(const ProgramGraph &graph, mlir::func::FuncOp main) : graph(graph), classes(graph) {
    findWeights();
    nameInputs(main);
    nameBy(&ClassNaming::nameExperts);
    nameBy(&ClassNaming::nameSoftmax);
    nameBy(&ClassNaming::nameHeads);
    nameBy(&ClassNaming::nameHeadDims);
    nameTables();
    nameBy(&ClassNaming::nameNormalized);
    nameFeatures();
  }

  /// Empty where the class has no name.
  std::string nameOf(size_t node, int factor) const {
    auto known = names.find(classes.classOf(node, factor));
    return known == names.end() ? "" : known->second;
  }
  /// What the model calls a dim of an input, whatever its size; empty where it does not say.
  std::string ofInput(size_t node, int dim) const {
    auto known = inputDims.find({node, dim});
    return known == inputDims.end() ? "" : known->second;
  }
  bool isSequence(size_t node, int factor) const { return sequences.contains(classes.classOf(node, factor)); }

private:
  void give(size_t node, int factor, const std::string &name) {
    if (factor >= 0 && graph.nodes[node].rule.factors[factor].size > 1)
      names.try_emplace(classes.classOf(node, factor), name);
  }
  bool isNamed(size_t node, int factor) const { return names.contains(classes.classOf(node, factor)); }

  void nameBy(void (ClassNaming::*rule)(size_t)) {
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == GraphNode::Kind::Op)
        (this->*rule)(i);
  }

  /// Weights, and what only moves or converts their elements.
  void findWeights() {
    ofWeights.resize(graph.nodes.size());
    producers.resize(graph.nodes.size());
    for (const GraphEdge &edge : graph.edges)
      for (int operand : edge.operands)
        producers[edge.to][operand] = edge.from;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      std::string op = graph.nodes[i].opName();
      bool moves = op == "reshape" || op == "transpose" || op == "cast" || op == "tensor";
      ofWeights[i] = op == "weight" || (moves && readsWeight(i, 0));
    }
  }
  bool readsWeight(size_t node, int operand) const {
    auto producer = producers[node].find(operand);
    return producer != producers[node].end() && ofWeights[producer->second];
  }

  void nameInputs(mlir::func::FuncOp main) {
    size_t argument = 0;
    int64_t batch = 0;
    for (const GraphNode &node : graph.nodes)
      if (node.kind == GraphNode::Kind::Input && !node.rule.factors.empty())
        batch = std::max(batch, node.rule.factors[0].size);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == GraphNode::Kind::Input)
        nameInput(i, main, argument++, batch);
  }

  void nameInput(size_t node, mlir::func::FuncOp main, size_t argument, int64_t batch) {
    auto dims = main.getArgAttrOfType<mlir::ArrayAttr>(argument, kDimNames);
    for (auto [d, factor] : llvm::enumerate(graph.nodes[node].rule.factors)) {
      auto name = dims && d < dims.size() ? llvm::dyn_cast<mlir::StringAttr>(dims[d]) : mlir::StringAttr();
      std::string word = name && !name.empty() ? asWord(name) : d == 0 && factor.size == batch ? "batch" : "";
      if (word.empty())
        continue;
      inputDims[{node, static_cast<int>(d)}] = word;
      give(node, static_cast<int>(d), word);
    }
  }

  /// Names stand in texts such as `batch:x sum(ffn):y`.
  static std::string asWord(llvm::StringRef name) {
    std::string word;
    for (char c : name)
      word += llvm::isAlnum(c) || c == '_' || c == '.' || c == '-' ? c : '_';
    return word;
  }

  void nameSoftmax(size_t node) {
    const Rule &rule = graph.nodes[node].rule;
    if (graph.nodes[node].opName() != "softmax" || rule.factors.size() < 3)
      return;
    for (size_t f = 0; f < rule.factors.size(); ++f)
      if (rule.factors[f].kind == FactorKind::Whole && nameOf(node, static_cast<int>(f)) != "experts") {
        give(node, static_cast<int>(f), "sequence");
        sequences.insert(classes.classOf(node, static_cast<int>(f)));
      }
  }

  bool isProduct(size_t node) const {
    return graph.nodes[node].opName() == "contract" && graph.nodes[node].rule.operands.size() == 2;
  }
  bool isShared(const Rule &rule, int f) const {
    return occurs(f, rule.operands[0]) && occurs(f, rule.operands[1]) && occurs(f, rule.results[0]);
  }

  void nameExperts(size_t node) { nameShared(node, /*ofWeights=*/true, "experts"); }
  void nameHeads(size_t node) { nameShared(node, /*ofWeights=*/false, "heads"); }
  void nameShared(size_t node, bool ofWeight, const std::string &name) {
    const Rule &rule = graph.nodes[node].rule;
    if (!isProduct(node) || ofWeight != (readsWeight(node, 0) || readsWeight(node, 1)))
      return;
    for (int f = 0; f < static_cast<int>(rule.factors.size()); ++f)
      if (isShared(rule, f))
        give(node, f, name);
  }

  void nameHeadDims(size_t node) {
    const Rule &rule = graph.nodes[node].rule;
    if (!isProduct(node) || readsWeight(node, 0) || readsWeight(node, 1))
      return;
    bool ofHeads = false;
    for (int f = 0; f < static_cast<int>(rule.factors.size()); ++f)
      ofHeads |= isShared(rule, f) && nameOf(node, f) == "heads";
    for (int f = 0; ofHeads && f < static_cast<int>(rule.factors.size()); ++f)
      if (rule.factors[f].kind == FactorKind::Reduction)
        give(node, f, "head_dim");
      else if (rule.operands[0].size() > rule.operands[1].size() && !occurs(f, rule.operands[1]))
        give(node, f, "group");
      else if (!occurs(f, rule.operands[0]))
        give(node, f, "head_dim");
  }

  void nameTables() {
    std::vector<std::pair<int64_t, size_t>> tables;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].opName() == "gather" && readsWeight(i, 0))
        tables.push_back({-graph.nodes[i].rule.factors[gathered(i)].size, i});
    llvm::sort(tables);
    vocabulary = tables.empty() ? 0 : -tables.front().first;
    for (auto [size, node] : tables) {
      give(node, gathered(node), size == tables.front().first ? "vocabulary" : "entries");
      for (const DimFactors &dim : graph.nodes[node].rule.operands[0])
        if (occurs(majorFactor(graph.nodes[node].rule, dim), graph.nodes[node].rule.results[0]))
          give(node, majorFactor(graph.nodes[node].rule, dim), "hidden");
    }
  }
  /// The factor of operand 0 that the result lacks.
  int gathered(size_t node) const {
    const Rule &rule = graph.nodes[node].rule;
    for (const DimFactors &dim : rule.operands[0])
      if (!dim.empty() && !occurs(dim.front(), rule.results[0]))
        return dim.front();
    return 0;
  }

  void nameNormalized(size_t node) {
    const Rule &rule = graph.nodes[node].rule;
    for (size_t f = 0; graph.nodes[node].opName() == "normalize" && f < rule.factors.size(); ++f)
      if (rule.factors[f].kind == FactorKind::Whole)
        give(node, static_cast<int>(f), "hidden");
  }

  /// Dims of weights that products go over, and what they are multiplied with.
  void nameFeatures() {
    std::map<int, std::pair<size_t, int>> columns, rows; // a place for each class
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Rule &rule = graph.nodes[i].rule;
      for (int f = 0; isProduct(i) && f < static_cast<int>(rule.factors.size()); ++f)
        for (int operand : {0, 1})
          if (readsWeight(i, operand) && occurs(f, rule.operands[operand]) && !isShared(rule, f))
            (rule.factors[f].kind == FactorKind::Reduction ? rows : columns).try_emplace(classes.classOf(i, f), i, f);
    }
    for (auto &[column, place] : columns)
      give(place.first, place.second, columnName(place.first, place.second, rows.contains(column)));
    for (auto &[row, place] : rows)
      give(place.first, place.second, "features");
  }
  std::string columnName(size_t node, int factor, bool summedLater) const {
    bool transformer = llvm::any_of(names, [](auto &entry) { return entry.second == "hidden"; });
    if (transformer && graph.nodes[node].rule.factors[factor].size == vocabulary)
      return "vocabulary";
    return transformer && summedLater ? "ffn" : "features";
  }

  const ProgramGraph &graph;
  FactorClasses classes;
  std::map<int, std::string> names;
  std::map<std::pair<size_t, int>, std::string> inputDims;
  std::set<int> sequences;
  int64_t vocabulary = 0; ///< rows of the largest table
  std::vector<bool> ofWeights;
  std::vector<std::map<int, int>> producers; ///< node that makes each operand
};

/// Where the class says nothing: the place in the result.
std::string placeOf(const Rule &rule, int factor) {
  for (const TensorFactors &tensor : rule.results)
    for (auto [d, dim] : llvm::enumerate(tensor))
      if (llvm::is_contained(dim, factor))
        return dim.front() == factor ? fmt::format("dim{}", d) : fmt::format("within_dim{}", d);
  return "inner";
}

/// Attention has positions twice: those that ask and those that are looked at. What is summed is written `sum(name)`,
/// so it may be called like what is kept.
std::vector<std::string> namesOf(const ClassNaming &naming, const GraphNode &node, size_t index) {
  std::vector<std::string> names;
  std::set<std::pair<bool, std::string>> taken;
  for (int f = 0; f < static_cast<int>(node.rule.factors.size()); ++f) {
    bool summed = node.rule.factors[f].kind == FactorKind::Reduction;
    std::string name = naming.nameOf(index, f);
    if (name.empty() && node.kind == GraphNode::Kind::Input)
      name = naming.ofInput(index, f);
    std::string base = name.empty() ? placeOf(node.rule, f) : name;
    name = base;
    for (int n = 2; !taken.insert({summed, name}).second; ++n)
      name = n == 2 && naming.isSequence(index, f) ? "keys" : fmt::format("{}{}", base, n);
    names.push_back(name);
  }
  return names;
}

std::string joinAxes(const AxisList &axes, const Mesh &mesh) {
  std::vector<std::string> names;
  for (AxisIndex axis : axes)
    names.push_back(mesh.axes[axis].name);
  return llvm::join(names, ",");
}

std::vector<std::string> partsOf(const Strategy &strategy, const Rule &rule,
                                 const std::vector<std::string> &factorNames, const Mesh &mesh) {
  std::vector<size_t> factors;
  for (size_t f = 0; f < strategy.factorAxes.size(); ++f)
    if (!strategy.factorAxes[f].empty())
      factors.push_back(f);
  llvm::stable_sort(factors, [&](size_t a, size_t b) { // alike in all ops
    return *llvm::min_element(strategy.factorAxes[a]) < *llvm::min_element(strategy.factorAxes[b]);
  });
  std::vector<std::string> parts;
  for (size_t f : factors) {
    const Factor &factor = rule.factors[f];
    std::string what = factor.kind == FactorKind::Reduction ? fmt::format("{}({})", name(factor.reduce), factorNames[f])
                                                            : factorNames[f];
    parts.push_back(fmt::format("{}:{}", what, joinAxes(strategy.factorAxes[f], mesh)));
  }
  if (strategy.partialAxes.empty())
    return parts;
  std::string kind = strategy.partialKind == ReduceKind::Sum ? "" : fmt::format("-{}", name(strategy.partialKind));
  std::string operands =
      rule.partials.size() > 1 ? fmt::format("({})", fmt::join(rule.partials[strategy.partialForm].operands, ",")) : "";
  parts.push_back(fmt::format("partial{}{}:{}", kind, operands, joinAxes(strategy.partialAxes, mesh)));
  return parts;
}

} // namespace

FactorNames::FactorNames(const ProgramGraph &graph, mlir::func::FuncOp main) {
  ClassNaming naming(graph, main);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    names.push_back(namesOf(naming, graph.nodes[i], i));
}

std::vector<std::string> FactorNames::dimsOf(const ProgramGraph &graph, size_t node, int result) const {
  std::vector<std::string> dims;
  const Rule &rule = graph.nodes[node].rule;
  for (const DimFactors &dim : rule.results[result]) {
    int factor = majorFactor(rule, dim);
    bool nameless = factor < 0 || (rule.factors[factor].size == 1 && names[node][factor].starts_with("dim"));
    dims.push_back(nameless ? "1" : names[node][factor]);
  }
  return dims;
}

std::string strategyText(const Strategy &strategy, const Rule &rule, const std::vector<std::string> &factorNames,
                         const Mesh &mesh) {
  std::vector<std::string> parts = partsOf(strategy, rule, factorNames, mesh);
  return parts.empty() ? "replicated" : llvm::join(parts, " ");
}

bool isStrategyText(const std::string &text, const Strategy &strategy, const Rule &rule,
                    const std::vector<std::string> &factorNames, const Mesh &mesh) {
  if (text == strategy.str(rule, mesh))
    return true;
  std::string plain = text;
  std::ranges::replace(plain, '=', ':');
  llvm::SmallVector<llvm::StringRef> given;
  llvm::SplitString(plain, given, " \t");
  std::vector<std::string> wanted = partsOf(strategy, rule, factorNames, mesh);
  if (wanted.empty())
    wanted = {"replicated"};
  llvm::sort(given);
  llvm::sort(wanted);
  return std::ranges::equal(given, wanted);
}

} // namespace froe
