#include "Restrictions.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <set>

namespace froe {

namespace {

/// The nodes that one ONNX node became, the weightiest kind first: its product, another op, a weight.
std::vector<size_t> nodesNamed(const ProgramGraph &graph, const std::string &name) {
  std::vector<size_t> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].kind != GraphNode::Kind::Tensor && graph.nodes[i].name == name)
      nodes.push_back(i);
  auto rank = [&](size_t i) {
    std::string op = graph.nodes[i].opName();
    return op == "contract" ? 0 : op == "weight" || op == "constant" ? 2 : 1;
  };
  llvm::stable_sort(nodes, [&](size_t a, size_t b) { return rank(a) < rank(b); });
  return nodes;
}

std::string possible(const GraphNode &node, const std::vector<std::string> &factors, const Mesh &mesh) {
  std::vector<std::string> texts;
  for (const Strategy &strategy : node.strategies)
    texts.push_back("'" + strategyText(strategy, node.rule, factors, mesh) + "'");
  return llvm::join(texts, ", ");
}

} // namespace

std::optional<std::string> restrictToForced(ProgramGraph &graph, const FactorNames &names,
                                            const std::vector<std::pair<std::string, std::string>> &force) {
  for (auto &[name, text] : force) {
    std::vector<size_t> nodes = nodesNamed(graph, name);
    if (nodes.empty())
      return fmt::format("there is no node '{}'", name);
    bool done = llvm::any_of(nodes, [&](size_t i) {
      GraphNode &node = graph.nodes[i];
      return keepOnly(node, [&](const Strategy &strategy) {
        return isStrategyText(text, strategy, node.rule, names.of(i), graph.mesh);
      });
    });
    const GraphNode &first = graph.nodes[nodes.front()];
    if (!done)
      return fmt::format("'{}' ({}) has no strategy '{}'; it has {}", name, first.opName(), text,
                         possible(first, names.of(nodes.front()), graph.mesh));
  }
  return std::nullopt;
}

} // namespace froe
