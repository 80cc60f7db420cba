#include "GraphOrder.h"
#include "Failure.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <queue>

namespace froe::importing {

std::string labelOf(const onnx::NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  return fmt::format("{}:{}", node.op_type(), node.output_size() ? node.output(0) : "");
}

/// Calls `visit` with the names that a node and its subgraphs read.
static void forEachUse(const onnx::NodeProto &node, llvm::function_ref<void(const std::string &)> visit) {
  for (const std::string &name : node.input())
    visit(name);
  auto visitGraph = [&](const onnx::GraphProto &graph) {
    for (const onnx::NodeProto &inner : graph.node())
      forEachUse(inner, visit);
    for (const onnx::ValueInfoProto &output : graph.output())
      visit(output.name());
  };
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      visitGraph(attribute.g());
    for (const onnx::GraphProto &graph : attribute.graphs())
      visitGraph(graph);
  }
}

static std::string listOf(llvm::ArrayRef<const onnx::NodeProto *> nodes) {
  std::string text;
  for (const onnx::NodeProto *node : nodes.take_front(5))
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", labelOf(*node));
  return text + (nodes.size() > 5 ? ", …" : "");
}

std::vector<const onnx::NodeProto *> orderOf(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes) {
  llvm::StringMap<int> makerOf;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &name : nodes[i].output())
      if (!name.empty())
        makerOf[name] = i;
  std::vector<std::vector<int>> users(nodes.size());
  std::vector<int> missing(nodes.size(), 0);
  for (int i = 0; i < nodes.size(); ++i)
    forEachUse(nodes[i], [&](const std::string &name) {
      auto maker = makerOf.find(name);
      if (maker == makerOf.end())
        return;
      users[maker->second].push_back(i);
      ++missing[i];
    });
  // The first ready node in the file's order comes next, so a sorted file keeps its order.
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  std::vector<const onnx::NodeProto *> order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.push_back(&nodes[next]);
    for (int user : users[next])
      if (--missing[user] == 0)
        ready.push(user);
  }
  if (int(order.size()) == nodes.size())
    return order;
  std::vector<const onnx::NodeProto *> stuck;
  for (int i = 0; i < nodes.size(); ++i)
    if (missing[i] > 0)
      stuck.push_back(&nodes[i]);
  throw Invalid(fmt::format("the graph is cyclic: nodes {} wait for each other's results", listOf(stuck)));
}

void checkNames(const onnx::GraphProto &graph) {
  llvm::StringMap<std::string> made;
  std::vector<std::string> problems;
  auto note = [&](const std::string &name, const std::string &by, bool isExpected = false) {
    auto [entry, isNew] = made.insert({name, by});
    if (!isNew && !isExpected)
      problems.push_back(fmt::format("the name '{}' stands for two values: {} and {}", name, entry->second, by));
  };
  llvm::StringSet<> inputs;
  for (const onnx::ValueInfoProto &input : graph.input()) {
    note(input.name(), "an input");
    inputs.insert(input.name());
  }
  for (const onnx::TensorProto &initializer : graph.initializer())
    note(initializer.name(), "an initializer", /*isExpected=*/inputs.erase(initializer.name()));
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &name : node.output())
      if (!name.empty())
        note(name, fmt::format("a result of node '{}'", labelOf(node)));
  llvm::StringSet<> outputs;
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!outputs.insert(output.name()).second)
      problems.push_back(fmt::format("the name '{}' stands for two outputs", output.name()));
  if (!problems.empty())
    throw Invalid(llvm::join(problems, "\n"));
}

} // namespace froe::importing
