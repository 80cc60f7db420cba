#include "froe/Analysis/KernelForecast.h"
#include "froe/Analysis/ProgramGraph.h"

#include "dialects/Froe/Froe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <unordered_map>

namespace froe {

namespace {

/// The kinds of partial value that some op of the program makes; no other kind can occur.
std::vector<ReduceKind> partialKindsOf(mlir::func::FuncOp main) {
  std::set<ReduceKind> kinds;
  main.walk([&](mlir::Operation *op) {
    if (llvm::isa<ContractOp, GatherOp>(op))
      kinds.insert(ReduceKind::Sum);
    if (auto reduce = llvm::dyn_cast<ReduceOp>(op))
      kinds.insert(static_cast<ReduceKind>(reduce.getKind()));
  });
  return {kinds.begin(), kinds.end()};
}

/// Every dim may be cut.
Rule freeRule(mlir::Value value) {
  Rule rule;
  rule.results.emplace_back();
  for (int64_t size : shapeOf(value)) {
    rule.results[0].push_back({static_cast<int>(rule.factors.size())});
    rule.factors.push_back({fmt::format("d{}", rule.factors.size()), size, FactorKind::Parallel, ReduceKind::Sum});
  }
  return rule;
}

/// P1: the nodes, their strategies, and which value goes from which node to which.
class GraphBuilder {
public:
  GraphBuilder(mlir::func::FuncOp main, const Device &device) : main(main) {
    graph.partialKinds = partialKindsOf(main);
    graph.forecast = std::make_shared<KernelForecast>(main, device);
  }

  std::expected<ProgramGraph, std::string> build() {
    for (mlir::BlockArgument argument : main.getArguments())
      addInput(argument);
    int position = 0;
    for (mlir::Operation &op : main.getBody().front().without_terminator()) {
      auto shardable = llvm::dyn_cast<ShardableOpInterface>(op);
      if (!shardable)
        return std::unexpected(
            fmt::format("node '{}': op '{}' cannot be sharded", nodeName(&op), op.getName().getStringRef().str()));
      addOp(shardable, position++);
    }
    mlir::Operation *terminator = main.getBody().front().getTerminator();
    for (mlir::OpOperand &operand : terminator->getOpOperands())
      addOutput(operand, position);
    classify();
    findUses(graph);
    return std::move(graph);
  }

private:
  /// Where a value's users get it from.
  struct Source {
    int node = 0, result = 0;
  };

  int classOf(const Rule &rule) {
    std::string key = rule.str();
    for (const Factor &factor : rule.factors)
      key += fmt::format("/{}", factor.size);
    return classes.try_emplace(key, static_cast<int>(classes.size())).first->second;
  }

  /// All that an op costs depends on, but its strategies.
  std::string contentOf(mlir::Operation *op) const {
    std::string key;
    auto append = [&](const void *unique) { key.append(reinterpret_cast<const char *>(&unique), sizeof unique); };
    auto appendValue = [&](mlir::Value value) {
      append(value.getType().getAsOpaquePointer());
      key.push_back(graph.forecast->staysInKernel(value) ? 'k' : isWeight(value) ? 'w' : '-');
    };
    append(op->getName().getAsOpaquePointer());
    append(op->getAttrDictionary().getAsOpaquePointer());
    for (mlir::Value operand : op->getOperands())
      appendValue(operand);
    for (mlir::Value result : op->getResults())
      appendValue(result);
    key.push_back(graph.forecast->followsProduct(op) ? 'f' : '-');
    key.push_back(static_cast<char>('0' + static_cast<int>(graph.forecast->partOf(op))));
    return key;
  }

  void classify() {
    std::unordered_map<std::string, int> known;
    auto classOfKey = [&](const std::string &key) {
      return known.try_emplace(key, static_cast<int>(known.size())).first->second;
    };
    for (GraphNode &node : graph.nodes)
      if (node.op)
        node.opClass = classOfKey(contentOf(node.op));
    for (GraphEdge &edge : graph.edges) {
      bool toOp = graph.nodes[edge.to].kind == GraphNode::Kind::Op;
      edge.edgeClass = classOfKey(fmt::format("{} {} {} {}", edge.value.getType().getAsOpaquePointer(), edge.result,
                                              toOp, fmt::join(edge.operands, " ")));
    }
  }

  int addNode(GraphNode::Kind kind, mlir::Value value, std::string name, int position, Rule rule,
              mlir::Operation *op = nullptr) {
    GraphNode node{kind, value, op, position, std::move(name), std::move(rule), -1, -1, {}, {}};
    node.ruleClass = classOf(node.rule);
    graph.nodes.push_back(std::move(node));
    return static_cast<int>(graph.nodes.size()) - 1;
  }

  void addInput(mlir::BlockArgument argument) {
    auto name = main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), FroeDialect::kName);
    std::string text = name ? name.str() : fmt::format("input{}", argument.getArgNumber());
    sources[argument] = {addNode(GraphNode::Kind::Input, argument, text, 0, freeRule(argument)), 0};
  }

  void addOp(ShardableOpInterface op, int position) {
    auto weight = llvm::dyn_cast<WeightOp>(op.getOperation());
    int node = addNode(GraphNode::Kind::Op, op->getResult(0), weight ? weight.getName().str() : nodeName(op), position,
                       op.getShardingRule(), op);
    std::map<std::pair<int, int>, std::vector<int>> uses;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Source source = sources.at(operand);
      uses[{source.node, source.result}].push_back(static_cast<int>(i));
    }
    for (auto &[source, operands] : uses)
      graph.edges.push_back({source.first, node, source.second, operands, op->getOperand(operands.front())});
    for (mlir::OpResult result : op->getResults())
      sources[result] = handOn(result, node, position);
  }

  /// Values that only one op uses go there directly; so do those whose sharding is free or fixed anyhow.
  Source handOn(mlir::OpResult result, int node, int position) {
    Source direct{node, static_cast<int>(result.getResultNumber())};
    std::set<mlir::Operation *> users(result.getUsers().begin(), result.getUsers().end());
    if (users.size() < 2 || llvm::isa<WeightOp, ConstantOp, IotaOp>(result.getOwner()))
      return direct;
    int tensor = addNode(GraphNode::Kind::Tensor, result, graph.nodes[node].name, position, freeRule(result));
    graph.edges.push_back({node, tensor, direct.result, {0}, result});
    return {tensor, 0};
  }

  void addOutput(mlir::OpOperand &operand, int position) {
    auto name = main.getResultAttrOfType<mlir::StringAttr>(operand.getOperandNumber(), FroeDialect::kName);
    std::string text = name ? name.str() : fmt::format("output{}", operand.getOperandNumber());
    int node = addNode(GraphNode::Kind::Output, operand.get(), text, position, freeRule(operand.get()));
    Source source = sources.at(operand.get());
    graph.edges.push_back({source.node, node, source.result, {0}, operand.get()});
  }

  struct ValueHash {
    size_t operator()(mlir::Value value) const { return mlir::hash_value(value); }
  };

  mlir::func::FuncOp main;
  ProgramGraph graph;
  std::unordered_map<mlir::Value, Source, ValueHash> sources;
  std::unordered_map<std::string, int> classes;
};

} // namespace

std::string GraphNode::opName() const {
  switch (kind) {
  case Kind::Input:
    return "input";
  case Kind::Output:
    return "output";
  case Kind::Tensor:
    return "tensor";
  case Kind::Op:
    return op->getName().stripDialect().str();
  }
  return "";
}

std::expected<mlir::func::FuncOp, std::string> mainOf(mlir::ModuleOp module) {
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return std::unexpected("expected a module with a function @main of one block");
  return main;
}

std::expected<ProgramGraph, std::string> buildGraph(mlir::func::FuncOp main, const Mesh &mesh, const Device &device) {
  std::expected<ProgramGraph, std::string> graph = GraphBuilder(main, device).build();
  if (graph)
    putOnMesh(*graph, mesh);
  return graph;
}

void putOnMesh(ProgramGraph &graph, const Mesh &mesh) {
  graph.mesh = mesh;
  std::unordered_map<int, SharedTable<Strategy>> known;
  for (GraphNode &node : graph.nodes) {
    auto [it, isNew] = known.try_emplace(node.ruleClass);
    if (isNew)
      // Axis orders inside a dim only differ in what later reshards cost; with three axes there are too many to weigh.
      it->second = enumerateStrategies(node.rule, mesh, graph.partialKinds, mesh.axisCount() > 2);
    node.strategies = it->second;
  }
}

void shareStrategies(ProgramGraph &graph) {
  std::unordered_map<int, std::vector<SharedTable<Strategy>>> known;
  for (GraphNode &node : graph.nodes) {
    std::vector<SharedTable<Strategy>> &tables = known[node.ruleClass];
    auto same = llvm::find(tables, node.strategies);
    if (same != tables.end())
      node.strategies = *same;
    else
      tables.push_back(node.strategies);
  }
}

std::string nodeName(mlir::Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<mlir::NameLoc>())
    return name.getName().str();
  return op->getName().getStringRef().str();
}

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

int64_t elementBytesOf(mlir::Value value) {
  mlir::Type type = llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

} // namespace froe
