#include "froe/Analysis/KernelForecast.h"
#include "froe/Analysis/ProgramGraph.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseMap.h"

namespace froe {

namespace {

/// The position behind the last use of each value; a view's uses count for what it views.
llvm::DenseMap<mlir::Value, int64_t> endsOfLife(const ProgramGraph &graph, int64_t end) {
  llvm::DenseMap<mlir::Value, int64_t> ends;
  for (const GraphNode &node : llvm::reverse(graph.nodes)) {
    if (node.kind == GraphNode::Kind::Output)
      ends[node.value] = end;
    if (node.kind != GraphNode::Kind::Op)
      continue;
    for (mlir::Value operand : node.op->getOperands()) {
      int64_t use = llvm::isa<ReshapeOp>(node.op) ? ends.lookup(node.op->getResult(0)) : node.position + 1;
      ends[operand] = std::max(ends.lookup(operand), use);
    }
  }
  return ends;
}

/// The position at which the kernel that stores an op's results begins: a product's stores what the ops behind it make
/// of it while it reads the operands.
llvm::DenseMap<mlir::Operation *, int64_t> kernelBegins(const ProgramGraph &graph) {
  llvm::DenseMap<mlir::Operation *, int64_t> begins;
  for (const GraphNode &node : graph.nodes) {
    if (node.kind != GraphNode::Kind::Op)
      continue;
    int64_t begin = node.position;
    if (graph.forecast->followsProduct(node.op))
      for (mlir::Value operand : node.op->getOperands())
        if (mlir::Operation *op = operand.getDefiningOp();
            graph.forecast->staysInKernel(operand) && (llvm::isa<ContractOp>(op) || graph.forecast->followsProduct(op)))
          begin = std::min(begin, begins.lookup(op));
    begins[node.op] = begin;
  }
  return begins;
}

/// The position from which a value is held in the form in which it is handed on, no longer in that in which it is made.
llvm::DenseMap<mlir::Value, int64_t> handedOnAt(const ProgramGraph &graph) {
  llvm::DenseMap<mlir::Value, int64_t> positions;
  for (const GraphNode &node : graph.nodes)
    if (node.kind == GraphNode::Kind::Tensor)
      positions[node.value] = node.position + 1;
  return positions;
}

} // namespace

void findUses(ProgramGraph &graph) {
  int64_t end = 1;
  for (const GraphNode &node : graph.nodes)
    end = std::max<int64_t>(end, node.position + 1);
  llvm::DenseMap<mlir::Value, int64_t> ends = endsOfLife(graph, end);
  llvm::DenseMap<mlir::Operation *, int64_t> begins = kernelBegins(graph);
  llvm::DenseMap<mlir::Value, int64_t> handedOn = handedOnAt(graph);
  for (GraphNode &node : graph.nodes) {
    node.uses.clear();
    auto add = [&](mlir::Value value, int result, int64_t begin, int64_t least) {
      int64_t last = std::max(least, ends.lookup(value));
      if (auto next = handedOn.find(value); next != handedOn.end() && node.kind != GraphNode::Kind::Tensor)
        last = std::min(last, std::max(least, next->second));
      bool stored = graph.forecast->isStored(value) && !llvm::is_contained(shapeOf(value), 0);
      if (stored && begin < last)
        node.uses.push_back({result, value, {begin, last}});
    };
    if (node.kind == GraphNode::Kind::Tensor)
      add(node.value, 0, node.position + 1, 0);
    if (node.kind == GraphNode::Kind::Input)
      add(node.value, 0, 0, 1);
    if (node.kind != GraphNode::Kind::Op || llvm::isa<ConstantOp>(node.op))
      continue;
    bool isWeightOp = llvm::isa<WeightOp>(node.op);
    for (auto [i, result] : llvm::enumerate(node.op->getResults()))
      add(result, static_cast<int>(i), isWeightOp ? 0 : begins.lookup(node.op), isWeightOp ? end : node.position + 1);
  }
}

} // namespace froe
