#include "ConstraintFile.h"
#include "Restrictions.h"

#include "llvm/Support/GlobPattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace froe {

namespace {

/// Whether the value of a node is what its ONNX node hands on, and not a step inside it.
bool isHandedOn(const GraphNode &node) {
  if (node.kind != GraphNode::Kind::Op)
    return true;
  return llvm::any_of(node.value.getUsers(), [&](mlir::Operation *user) { return nodeName(user) != node.name; });
}

/// P6: leaves the strategies that a constraint file allows.
class Pinning {
public:
  Pinning(ProgramGraph &graph, const FactorNames &names)
      : graph(graph), all(graph), names(names), pinnedBy(graph.nodes.size()) {}

  std::optional<std::string> apply(const Pin &pin) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pin.pattern);
    if (!glob)
      return fmt::format("'{}' is no pattern: {}", pin.pattern, llvm::toString(glob.takeError()));
    bool named = false, done = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (!concerns(pin, graph.nodes[i]) || !glob->match(graph.nodes[i].name))
        continue;
      named = true;
      std::optional<Sharding> sharding = pin.sharding.on(names.dimsOf(graph, i));
      if (pin.kind == Pin::Kind::Strategy ? !has(i, pin) : !sharding)
        continue;
      done = true;
      if (auto why = restrict(i, pin, sharding.value_or(Sharding())))
        return why;
    }
    if (!named)
      return fmt::format("'{}' names {}", pin.pattern, whatThereIs(pin.kind));
    return done ? std::nullopt : std::optional(nothingFits(pin));
  }

  /// The axis cuts nothing but these dims.
  std::optional<std::string> keep(AxisIndex axis, const std::vector<std::string> &dims) {
    bool possible = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      GraphNode &node = graph.nodes[i];
      auto keeps = [&](const Strategy &strategy) {
        for (size_t f = 0; f < strategy.factorAxes.size(); ++f)
          if (llvm::is_contained(strategy.factorAxes[f], axis) && !llvm::is_contained(dims, names.of(i)[f]))
            return false;
        return true;
      };
      possible |= llvm::any_of(names.of(i), [&](const std::string &name) { return llvm::is_contained(dims, name); });
      std::string what = fmt::format("keeping axis '{}' for {}", graph.mesh.axes[axis].name, fmt::join(dims, ", "));
      if (!keepOnly(node, keeps))
        return contradiction(i, what);
      pinnedBy[i].push_back(what);
    }
    if (!possible)
      return fmt::format("\"axes\": no dim of the model is called '{}'; it has {}", fmt::join(dims, "' or '"),
                         dimNames());
    return std::nullopt;
  }

private:
  bool concerns(const Pin &pin, const GraphNode &node) const {
    switch (pin.kind) {
    case Pin::Kind::Input:
      return node.kind == GraphNode::Kind::Input;
    case Pin::Kind::Output:
      return node.kind == GraphNode::Kind::Output;
    case Pin::Kind::Strategy:
      return node.kind != GraphNode::Kind::Tensor;
    case Pin::Kind::Tensor:
    case Pin::Kind::Forbid:
      return node.kind != GraphNode::Kind::Tensor && isHandedOn(node);
    }
    return false;
  }

  bool allows(size_t i, const Pin &pin, const Sharding &sharding, const Strategy &strategy) const {
    if (pin.kind == Pin::Kind::Strategy)
      return isStrategyText(pin.strategy, strategy, graph.nodes[i].rule, names.of(i), graph.mesh);
    return (strategy.results[0] == sharding) != (pin.kind == Pin::Kind::Forbid);
  }
  /// An ONNX node becomes several; those that have such a strategy are meant.
  bool has(size_t i, const Pin &pin) const {
    return llvm::any_of(all.nodes[i].strategies,
                        [&](const Strategy &strategy) { return allows(i, pin, {}, strategy); });
  }

  std::optional<std::string> restrict(size_t i, const Pin &pin, const Sharding &sharding) {
    GraphNode &node = graph.nodes[i];
    if (keepOnly(node, [&](const Strategy &strategy) { return allows(i, pin, sharding, strategy); })) {
      pinnedBy[i].push_back(pin.str(graph.mesh));
      return std::nullopt;
    }
    if (!pinnedBy[i].empty())
      return contradiction(i, pin.str(graph.mesh));
    if (pin.kind == Pin::Kind::Forbid)
      return fmt::format("{} leaves '{}' ({}) no sharding", pin.str(graph.mesh), node.name, node.opName());
    return fmt::format("'{}' ({}) cannot be {}: possible are {}", node.name, node.opName(), sharding.str(graph.mesh),
                       possibleShardings(node));
  }

  std::string contradiction(size_t i, const std::string &what) const {
    const GraphNode &node = graph.nodes[i];
    if (pinnedBy[i].empty())
      return fmt::format("{} leaves '{}' ({}) no strategy", what, node.name, node.opName());
    return fmt::format("{} contradicts {} at '{}'", what, pinnedBy[i].back(), node.name);
  }

  std::string possibleShardings(const GraphNode &node) const {
    std::set<std::string> texts;
    for (const Strategy &strategy : node.strategies)
      if (!strategy.results[0].isPartial())
        texts.insert(strategy.results[0].str(graph.mesh));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string whatThereIs(Pin::Kind kind) const {
    if (kind != Pin::Kind::Input && kind != Pin::Kind::Output)
      return "no tensor and no node of the model";
    std::vector<std::string> ports;
    for (const GraphNode &node : graph.nodes)
      if (node.kind == (kind == Pin::Kind::Input ? GraphNode::Kind::Input : GraphNode::Kind::Output))
        ports.push_back("'" + node.name + "'");
    return fmt::format("no {}; there are {}", kind == Pin::Kind::Input ? "input" : "output", fmt::join(ports, ", "));
  }

  std::string nothingFits(const Pin &pin) const {
    if (pin.kind == Pin::Kind::Strategy)
      return fmt::format("'{}' names no node that has the strategy '{}'", pin.pattern, pin.strategy);
    if (pin.sharding.byName)
      return fmt::format("'{}' names no tensor with the dims of {}; the model's dims are {}", pin.pattern,
                         pin.sharding.str(graph.mesh), dimNames());
    return fmt::format("'{}' names no tensor of {} dims", pin.pattern, pin.sharding.dims.size());
  }

  std::string dimNames() const {
    std::set<std::string> all;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      all.insert(names.of(i).begin(), names.of(i).end());
    return fmt::format("{}", fmt::join(all, ", "));
  }

  ProgramGraph &graph;
  const ProgramGraph all; ///< before any restriction
  const FactorNames &names;
  std::vector<std::vector<std::string>> pinnedBy; ///< what already restricts each node
};

} // namespace

std::optional<std::string> restrictByConstraints(ProgramGraph &graph, const FactorNames &names, const std::string &text,
                                                 const std::string &file) {
  std::expected<ConstraintFile, std::string> constraints = ConstraintFile::parse(text, graph.mesh);
  if (!constraints)
    return fmt::format("{}: {}", file, constraints.error());
  Pinning pinning(graph, names);
  for (const Pin &pin : constraints->pins)
    if (auto why = pinning.apply(pin))
      return fmt::format("{}: {}", file, *why);
  for (auto &[axis, dims] : constraints->axes)
    if (auto why = pinning.keep(axis, dims))
      return fmt::format("{}: {}", file, *why);
  return std::nullopt;
}

} // namespace froe
