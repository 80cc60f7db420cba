#include "Restrictions.h"

#include "froe/Analysis/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

namespace froe {

namespace {

using Json = nlohmann::ordered_json;

std::expected<Mesh, std::string> readMesh(const Json &json) {
  if (!json.is_object() || !json.contains("mesh") || !json["mesh"].is_object())
    return std::unexpected("expected a plan: a JSON object with \"mesh\" and \"nodes\"");
  std::vector<std::string> axes;
  for (auto &[name, size] : json["mesh"].items())
    axes.push_back(fmt::format("{}={}", name, size.dump()));
  return Mesh::parse(llvm::join(axes, ","));
}

std::optional<std::string> fix(GraphNode &node, const std::vector<std::string> &factors, const Json &entry,
                               const Mesh &mesh) {
  std::string name = entry.value("name", ""), op = entry.value("op", ""), strategy = entry.value("strategy", "");
  if (name != node.name || op != node.opName())
    return fmt::format("the plan is for another program: expected '{}' ({}), found '{}' ({})", node.name, node.opName(),
                       name, op);
  if (keepOnly(node, [&](const Strategy &s) { return isStrategyText(strategy, s, node.rule, factors, mesh); }))
    return std::nullopt;
  std::vector<std::string> possible;
  for (const Strategy &s : node.strategies)
    possible.push_back("'" + strategyText(s, node.rule, factors, mesh) + "'");
  return fmt::format("'{}' has no strategy '{}'; it has {}", name, strategy, llvm::join(possible, ", "));
}

std::optional<std::string> fixAll(ProgramGraph &graph, const FactorNames &names, const Json &json) {
  std::expected<Mesh, std::string> mesh = readMesh(json);
  if (!mesh)
    return mesh.error();
  if (*mesh != graph.mesh)
    return fmt::format("the plan is for mesh {}, not for {}", mesh->str(), graph.mesh.str());
  const Json nodes = json.value("nodes", Json::array());
  size_t next = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode &node = graph.nodes[i];
    if (node.kind == GraphNode::Kind::Tensor)
      continue;
    if (next == nodes.size())
      return fmt::format("the plan is for another program: it has only {} nodes", nodes.size());
    if (auto why = fix(node, names.of(i), nodes[next++], graph.mesh))
      return why;
  }
  if (next != nodes.size())
    return fmt::format("the plan is for another program: it has {} nodes more", nodes.size() - next);
  return std::nullopt;
}

} // namespace

std::optional<std::string> restrictToPlanFile(ProgramGraph &graph, const FactorNames &names, const std::string &text,
                                              const std::string &file) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (auto why = fixAll(graph, names, json))
    return fmt::format("{}: {}", file, *why);
  return std::nullopt;
}

std::expected<Mesh, std::string> meshOfPlanFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return std::unexpected(fmt::format("cannot read '{}': {}", path, buffer.getError().message()));
  std::expected<Mesh, std::string> mesh =
      readMesh(Json::parse((*buffer)->getBuffer().str(), nullptr, /*allow_exceptions=*/false));
  if (!mesh)
    return std::unexpected(fmt::format("{}: {}", path, mesh.error()));
  return mesh;
}

} // namespace froe
