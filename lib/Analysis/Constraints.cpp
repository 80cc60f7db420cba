#include "Restrictions.h"

#include "llvm/Support/GlobPattern.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace froe {

namespace {

using Json = nlohmann::ordered_json;

/// One line of a constraint file.
struct Pin {
  std::string pattern;
  Sharding sharding;
  bool forbid = false;

  std::string str(const Mesh &mesh) const {
    return fmt::format("{} '{}' {}", forbid ? "forbidding" : "pinning", pattern, sharding.str(mesh));
  }
};

std::expected<AxisList, std::string> readAxes(const Json &json, const Mesh &mesh) {
  AxisList axes;
  for (const Json &name : json) {
    AxisIndex axis = name.is_string() ? mesh.find(name.get<std::string>()) : -1;
    if (axis < 0)
      return std::unexpected(fmt::format("expected an axis of mesh {}, found {}", mesh.str(), name.dump()));
    axes.push_back(axis);
  }
  return axes;
}

std::expected<Sharding, std::string> readSharding(const Json &json, const Mesh &mesh) {
  Sharding sharding;
  if (!json.is_array())
    return std::unexpected(fmt::format("expected a list of axes for each dim, found {}", json.dump()));
  for (const Json &dim : json) {
    if (!dim.is_array())
      return std::unexpected(fmt::format("expected a list of axes for each dim, found {}", json.dump()));
    std::expected<AxisList, std::string> axes = readAxes(dim, mesh);
    if (!axes)
      return std::unexpected(axes.error());
    sharding.dims.push_back(*axes);
  }
  if (auto why = sharding.check(mesh, static_cast<int64_t>(sharding.dims.size())))
    return std::unexpected(*why);
  return sharding;
}

std::expected<std::vector<Pin>, std::string> readPins(const std::string &text, const Mesh &mesh) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return std::unexpected("expected a JSON object with \"tensors\" or \"forbid\"");
  std::vector<Pin> pins;
  for (auto &[key, entries] : json.items()) {
    if (key != "tensors" && key != "forbid")
      return std::unexpected(fmt::format("expected the keys \"tensors\" and \"forbid\", found \"{}\"", key));
    if (!entries.is_object())
      return std::unexpected(fmt::format("expected an object under \"{}\", found {}", key, entries.dump()));
    for (auto &[pattern, value] : entries.items()) {
      std::expected<Sharding, std::string> sharding = readSharding(value, mesh);
      if (!sharding)
        return std::unexpected(fmt::format("'{}': {}", pattern, sharding.error()));
      pins.push_back({pattern, *sharding, key == "forbid"});
    }
  }
  return pins;
}

/// Whether the value of a node is what its ONNX node hands on, and not a step inside it.
bool isHandedOn(const GraphNode &node) {
  if (node.kind != GraphNode::Kind::Op)
    return true;
  return llvm::any_of(node.value.getUsers(), [&](mlir::Operation *user) { return nodeName(user) != node.name; });
}

class Pinning {
public:
  explicit Pinning(ProgramGraph &graph) : graph(graph), pinnedBy(graph.nodes.size()) {}

  std::optional<std::string> apply(const Pin &pin) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pin.pattern);
    if (!glob)
      return fmt::format("'{}' is no pattern: {}", pin.pattern, llvm::toString(glob.takeError()));
    bool named = false, done = false;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      GraphNode &node = graph.nodes[i];
      if (node.kind == GraphNode::Kind::Tensor || !glob->match(node.name) || !isHandedOn(node))
        continue;
      named = true;
      if (shapeOf(node.value).size() != pin.sharding.dims.size())
        continue;
      done = true;
      if (auto why = restrict(i, pin))
        return why;
    }
    if (!named)
      return fmt::format("'{}' names no tensor and no node of the model", pin.pattern);
    if (!done)
      return fmt::format("'{}' names no tensor of {} dims", pin.pattern, pin.sharding.dims.size());
    return std::nullopt;
  }

private:
  std::optional<std::string> restrict(size_t index, const Pin &pin) {
    GraphNode &node = graph.nodes[index];
    auto keep = [&](const Strategy &strategy) { return (strategy.results[0] == pin.sharding) != pin.forbid; };
    if (keepOnly(node, keep)) {
      pinnedBy[index].push_back(pin.str(graph.mesh));
      return std::nullopt;
    }
    if (!pinnedBy[index].empty())
      return fmt::format("{} contradicts {} at '{}'", pin.str(graph.mesh), pinnedBy[index].back(), node.name);
    if (pin.forbid)
      return fmt::format("{} leaves '{}' ({}) no sharding", pin.str(graph.mesh), node.name, node.opName());
    return fmt::format("'{}' ({}) cannot be {}: possible are {}", node.name, node.opName(),
                       pin.sharding.str(graph.mesh), possible(node));
  }

  std::string possible(const GraphNode &node) const {
    std::set<std::string> texts;
    for (const Strategy &strategy : node.strategies)
      if (!strategy.results[0].isPartial())
        texts.insert(strategy.results[0].str(graph.mesh));
    return llvm::join(texts, ", ");
  }

  ProgramGraph &graph;
  std::vector<std::vector<std::string>> pinnedBy; ///< what already restricts each node
};

} // namespace

std::optional<std::string> restrictByConstraints(ProgramGraph &graph, const std::string &text,
                                                 const std::string &file) {
  std::expected<std::vector<Pin>, std::string> pins = readPins(text, graph.mesh);
  if (!pins)
    return fmt::format("{}: {}", file, pins.error());
  Pinning pinning(graph);
  for (const Pin &pin : *pins)
    if (auto why = pinning.apply(pin))
      return fmt::format("{}: {}", file, *why);
  return std::nullopt;
}

} // namespace froe
