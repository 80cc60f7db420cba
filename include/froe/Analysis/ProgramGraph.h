#pragma once

#include "froe/Planning/SharedTable.h"
#include "froe/Sharding/Strategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace froe {

class KernelForecast;
struct Device;

/// A value that takes memory from one position up to, not including, another.
struct ValueUse {
  int result = 0;
  mlir::Value value;
  Interval live;
};

/// Something to decide about a program.
struct GraphNode {
  enum class Kind {
    Input,  ///< an argument: each rank reads its block, any sharding is free
    Op,     ///< weights included, whose shardings are free as well
    Tensor, ///< the form in which a result with several users is handed on, so that they share one reshard
    Output, ///< a result: each rank writes its block, any sharding that is not partial is free
  };
  Kind kind = Kind::Op;
  mlir::Value value; ///< Input: the argument; Op: the first result; Tensor: the value; Output: what is returned
  mlir::Operation *op = nullptr; ///< for Op
  int position = 0;              ///< of the op in its block; of an argument 0; of a result the number of ops
  std::string name;              ///< of the ONNX tensor or node
  Rule rule;
  int ruleClass = -1; ///< equal for equal rules
  int opClass = -1;   ///< equal for ops that cost the same under equal strategies
  std::vector<ValueUse> uses;
  SharedTable<Strategy>
      strategies; ///< those that may be chosen, shared by equal nodes; of nodes without op `results[0]` is the sharding

  /// `input`, `output`, `tensor`, or the op's name without dialect.
  std::string opName() const;
  /// The sharding in which strategy `s` gives result `result`.
  const Sharding &produces(int s, int result = 0) const { return strategies[s].results[result]; }
  /// The sharding in which strategy `s` needs operand `operand` (of a Tensor or Output: the value).
  const Sharding &needs(int s, int operand) const {
    return kind == Kind::Op ? strategies[s].operands[operand] : strategies[s].results[0];
  }
};

/// A value on its way from one node to another, which may use it as several of its operands.
struct GraphEdge {
  int from = 0, to = 0;
  int result = 0;
  std::vector<int> operands;
  mlir::Value value;
  int edgeClass = -1; ///< equal for edges that cost the same between equal strategies
};

/// The decisions of a program and how they depend on each other.
struct ProgramGraph {
  Mesh mesh;
  std::vector<GraphNode> nodes; ///< inputs, then ops in order (each tensor node behind its op), then outputs
  std::vector<GraphEdge> edges;
  std::vector<ReduceKind> partialKinds; ///< that some op makes; no other kind can occur
  std::shared_ptr<const KernelForecast> forecast;
};

/// The function that a module runs; a module has exactly one `main`.
std::expected<mlir::func::FuncOp, std::string> mainOf(mlir::ModuleOp module);

/// All strategies of all nodes, unrestricted; what becomes one kernel is what does on `device`. Fails where an op of
/// @main is not shardable.
std::expected<ProgramGraph, std::string> buildGraph(mlir::func::FuncOp main, const Mesh &mesh, const Device &device);

/// P4: finds out how long values live; to be called when nodes or edges changed.
void findUses(ProgramGraph &graph);

/// Moves a graph to another mesh: all strategies there, unrestricted.
void putOnMesh(ProgramGraph &graph, const Mesh &mesh);

/// Lets nodes of one rule with equal strategies share them again, after restrictions.
void shareStrategies(ProgramGraph &graph);

/// The ONNX node's name that a location carries; the op's name where it carries none.
std::string nodeName(mlir::Operation *op);
/// The shape of a ranked tensor value.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
/// Bytes of one element of a tensor value.
int64_t elementBytesOf(mlir::Value value);

} // namespace froe
