#include "ForecastArena.h"

#include "froe/Analysis/KernelForecast.h"
#include "froe/Analysis/PaddingKind.h"
#include "froe/Planning/ArenaLayout.h"

#include "dialects/Froe/Froe.h"
#include "dialects/Rank/MatmulOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <limits>
#include <map>
#include <optional>

namespace froe {

namespace {

/// Plays the program of one rank: which buffers each step reads and writes.
class ArenaForecast {
public:
  ArenaForecast(const ProgramGraph &graph, const std::vector<int> &choice, CostModel &costs)
      : graph(graph), choice(choice), costs(costs) {}

  int64_t run() {
    readPlan();
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == GraphNode::Kind::Input)
        make(graph.nodes[i].value), ++arguments;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == GraphNode::Kind::Op)
        play(graph.nodes[i], choice[i]);
      else if (graph.nodes[i].kind == GraphNode::Kind::Output)
        playOutput(graph.nodes[i], choice[i]);
    keepOutputs();
    std::vector<Buffer> apart = shareInPlace();
    return layOut(apart);
  }

private:
  /// One form of a value: the buffers that reading it reads; none of a weight or constant, several of what stays in a
  /// kernel.
  struct Form {
    bool made = false;
    int sent = -1; ///< a weight's or constant's copy that other ranks read
    llvm::SmallSetVector<int, 4> reads = {};
  };
  struct Forms {
    ReshardVersions versions;
    std::vector<Form> list;
  };

  struct Output {
    mlir::Value value;
    const Sharding *sharding;
    int buffer;
  };

  void readPlan() {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const GraphNode &node = graph.nodes[i];
      if (node.kind == GraphNode::Kind::Input)
        producedAs[node.value] = node.produces(choice[i]);
      if (node.kind == GraphNode::Kind::Output)
        needs[node.value].push_back(node.needs(choice[i], 0));
      if (node.kind != GraphNode::Kind::Op)
        continue;
      for (auto [r, result] : llvm::enumerate(node.op->getResults()))
        producedAs[result] = node.produces(choice[i], static_cast<int>(r));
      for (auto [o, operand] : llvm::enumerate(node.op->getOperands())) {
        needs[operand].push_back(node.needs(choice[i], static_cast<int>(o)));
        if (!maskedDims(node, choice[i], static_cast<unsigned>(o)).empty())
          masked.insert(operand);
      }
    }
  }

  Forms &formsOf(mlir::Value value) {
    std::unique_ptr<Forms> &known = forms[value];
    if (!known) {
      known = std::make_unique<Forms>(Forms{costs.versionsOf(value, producedAs[value], needs[value]), {}});
      known->list.resize(known->versions.size());
    }
    return *known;
  }
  Form &form(mlir::Value value, int version) { return formsOf(value).list[version]; }

  int define(mlir::Value value, const Sharding &sharding) {
    buffers.push_back({costs.localBytesOf(value, sharding), step, step, 0});
    return static_cast<int>(buffers.size()) - 1;
  }

  /// The form in which a value is given or made.
  void make(mlir::Value value) {
    Form &made = form(value, 0);
    made.reads.clear();
    made.reads.insert(define(value, producedAs[value]));
  }

  void read(const llvm::SmallSetVector<int, 4> &read) {
    for (int buffer : read)
      buffers[buffer].last = step;
  }

  /// The buffers that hold a value in the form in which an op needs it, made if need be.
  const llvm::SmallSetVector<int, 4> &get(mlir::Value value, int version) {
    Form &wanted = form(value, version);
    if (wanted.made || version == 0)
      return wanted.reads;
    const ReshardVersions::Version &made = formsOf(value).versions[version];
    llvm::SmallSetVector<int, 4> from = get(value, made.parent);
    if (from.empty() && made.step.kind != ReshardStep::Kind::Slice)
      from.insert(copyToSend(value, made.parent));
    ++step;
    read(from);
    Form &result = form(value, version);
    result.made = true;
    int buffer = define(value, made.sharding);
    if (made.step.kind == ReshardStep::Kind::AllReduce && from.size() == 1)
      inPlace[buffer] = from[0];
    result.reads.insert(buffer);
    return result.reads;
  }

  int copyToSend(mlir::Value value, int version) {
    Form &source = form(value, version);
    if (source.sent < 0) {
      ++step;
      source.sent = define(value, formsOf(value).versions[version].sharding);
    }
    return source.sent;
  }

  /// The dims of an operand whose padding is replaced before the op, and by what.
  std::vector<std::pair<int, ReduceKind>> maskedDims(const GraphNode &node, int strategy, unsigned operand) const {
    std::vector<std::pair<int, ReduceKind>> dims;
    llvm::ArrayRef<int64_t> shape = shapeOf(node.op->getOperand(operand));
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (isUneven(shape, node.needs(strategy, static_cast<int>(operand)), graph.mesh, dim))
        if (std::optional<ReduceKind> kind = paddingKind(node.op, node.rule, operand, dim))
          dims.emplace_back(dim, *kind);
    return dims;
  }

  /// The buffers that an op reads of one operand.
  llvm::SmallSetVector<int, 4> operandOf(const GraphNode &node, int strategy, unsigned operand) {
    mlir::Value value = node.op->getOperand(operand);
    const Sharding &sharding = node.needs(strategy, static_cast<int>(operand));
    int version = formsOf(value).versions.find(sharding);
    llvm::SmallSetVector<int, 4> reads = get(value, version);
    for (auto [dim, kind] : maskedDims(node, strategy, operand)) {
      auto [known, isNew] = masks.try_emplace({value.getAsOpaquePointer(), version, dim, kind}, -1);
      if (isNew) {
        ++step;
        read(reads);
        known->second = define(value, sharding);
        if (reads.size() == 1)
          inPlace[known->second] = reads[0];
      }
      reads.clear();
      reads.insert(known->second);
    }
    return reads;
  }

  /// In the end a value stays in a kernel only in the form in which it is made.
  bool staysInKernel(mlir::Value value) {
    auto isAsMade = [&](mlir::Value value) { return !masked.contains(value) && formsOf(value).versions.size() == 1; };
    if (!isAsMade(value))
      return false;
    llvm::ArrayRef<mlir::Value> attention = graph.forecast->fusedWith(value);
    if (!attention.empty() && llvm::all_of(attention, isAsMade))
      return true;
    if (graph.forecast->endsProduct(value))
      return !isProduct(value.getDefiningOp());
    return attention.empty() && graph.forecast->staysInKernel(value);
  }

  void play(const GraphNode &node, int strategy) {
    llvm::SmallSetVector<int, 4> reads;
    std::array<bool, 2> copies = copiedOperands(node, strategy);
    for (unsigned operand = 0; operand < node.op->getNumOperands(); ++operand) {
      llvm::SmallSetVector<int, 4> own = operandOf(node, strategy, operand);
      if (operand < copies.size() && copies[operand])
        own = copyInOrder(node, strategy, operand, own);
      reads.insert(own.begin(), own.end());
    }
    bool isStep = !llvm::isa<ReshapeOp, WeightOp, ConstantOp>(node.op) && !staysInKernel(node.op->getResult(0));
    if (!isStep) {
      for (mlir::Value result : node.op->getResults())
        form(result, 0).reads = reads;
      return;
    }
    std::optional<int64_t> joined = joinedStep(node.op, reads);
    if (!joined) {
      ++step;
      read(reads);
    }
    for (mlir::Value result : node.op->getResults()) {
      make(result);
      int buffer = form(result, 0).reads[0];
      if (joined)
        buffers[buffer].first = *joined;
      if (!isProduct(node.op))
        kernels[buffer] = node.op;
    }
  }

  /// Which operands of a product are copied first, since no strides express the order of their dims.
  std::array<bool, 2> copiedOperands(const GraphNode &node, int strategy) const {
    auto contract = llvm::dyn_cast<ContractOp>(node.op);
    if (!contract || graph.forecast->partOf(contract) != AttentionPart::None)
      return {};
    mlir::Value lhs = contract.getLhs(), rhs = contract.getRhs(), result = contract.getResult();
    std::vector<int64_t> left = localShape(shapeOf(lhs), node.needs(strategy, 0), graph.mesh),
                         right = localShape(shapeOf(rhs), node.needs(strategy, 1), graph.mesh),
                         made = localShape(shapeOf(result), node.produces(strategy), graph.mesh);
    llvm::StringRef letters[] = {contract.getLhsLetters(), contract.getRhsLetters()};
    rank::MatmulShape shape{{letters[0], left}, {letters[1], right}, {contract.getResultLetters(), made}, {}};
    rank::MatmulOrder order = rank::orderOf(shape, isWeight(lhs), isWeight(rhs));
    return order.swapped ? std::array{order.rhs != letters[0], order.lhs != letters[1]}
                         : std::array{order.lhs != letters[0], order.rhs != letters[1]};
  }

  /// A kernel that makes the operand for this product alone makes it in the right order.
  llvm::SmallSetVector<int, 4> copyInOrder(const GraphNode &node, int strategy, unsigned operand,
                                           const llvm::SmallSetVector<int, 4> &reads) {
    mlir::Value value = node.op->getOperand(operand);
    if (reads.size() == 1 && kernels.contains(reads[0]) && value.hasOneUse())
      return reads;
    ++step;
    read(reads);
    llvm::SmallSetVector<int, 4> copy;
    copy.insert(define(value, node.needs(strategy, static_cast<int>(operand))));
    return copy;
  }

  /// Whether a step is one of the products: itself, or what is done to its result before that is stored.
  bool isProduct(mlir::Operation *op) {
    if (llvm::isa<ContractOp>(op))
      return true;
    return graph.forecast->followsProduct(op) && llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
             mlir::Operation *producer = operand.getDefiningOp();
             return producer && staysInKernel(operand) && isProduct(producer);
           });
  }

  /// The step of a kernel that makes this op's result, too: what it stores for others is read here at the same place,
  /// and all else that is read here is there before.
  std::optional<int64_t> joinedStep(mlir::Operation *op, const llvm::SmallSetVector<int, 4> &reads) {
    if (isProduct(op) || !isKept(op))
      return std::nullopt;
    mlir::Value domain = isOverRows(op) ? op->getOperand(0) : op->getResult(0);
    for (int buffer : reads) {
      auto kernel = kernels.find(buffer);
      int64_t made = buffers[buffer].first;
      if (kernel != kernels.end() && isKept(kernel->second) &&
          shapeOf(kernel->second->getResult(0)) == shapeOf(domain) &&
          llvm::all_of(reads, [&](int other) { return buffers[other].first <= made; }))
        return made;
    }
    return std::nullopt;
  }

  static bool isOverRows(mlir::Operation *op) { return llvm::isa<SoftmaxOp, NormalizeOp, ReduceOp>(op); }
  static bool isKept(mlir::Operation *op) { return op->hasTrait<mlir::OpTrait::Elementwise>() || isOverRows(op); }

  void playOutput(const GraphNode &node, int strategy) {
    const Sharding &sharding = node.needs(strategy, 0);
    const llvm::SmallSetVector<int, 4> &held = get(node.value, formsOf(node.value).versions.find(sharding));
    outputs.push_back({node.value, &sharding, held.empty() ? -1 : held[0]});
  }

  /// Every output has a buffer of its own, which is read after the last step.
  void keepOutputs() {
    for (const Output &output : outputs) {
      int buffer = output.buffer;
      if (buffer < arguments || !kept.insert(buffer).second) {
        ++step;
        if (buffer >= 0)
          buffers[buffer].last = std::max(buffers[buffer].last, step);
        kept.insert(buffer = define(output.value, *output.sharding));
      }
      buffers[buffer].last = std::numeric_limits<int64_t>::max();
    }
  }

  /// A buffer that is read last by a step that works in place lives on as that step's result.
  std::vector<Buffer> shareInPlace() const {
    std::vector<Buffer> apart;
    std::vector<int> places;
    for (size_t i = 0; i < buffers.size(); ++i) {
      auto operand = inPlace.find(static_cast<int>(i));
      if (operand != inPlace.end() && buffers[operand->second].last == buffers[i].first) {
        places.push_back(places[operand->second]);
        apart[places.back()].last = buffers[i].last;
        continue;
      }
      places.push_back(static_cast<int>(apart.size()));
      apart.push_back(buffers[i]);
    }
    return apart;
  }

  const ProgramGraph &graph;
  const std::vector<int> &choice;
  CostModel &costs;
  llvm::DenseMap<mlir::Value, Sharding> producedAs;
  llvm::DenseMap<mlir::Value, std::vector<Sharding>> needs;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Forms>> forms;
  llvm::DenseSet<mlir::Value> masked;                                  ///< padding of some form of them is replaced
  std::map<std::tuple<const void *, int, int, ReduceKind>, int> masks; ///< buffers by value, version, dim and kind
  std::vector<Buffer> buffers;
  llvm::DenseMap<int, int> inPlace; ///< whose step may overwrite its operand, and that
  int arguments = 0;                ///< so many buffers are arguments, the first ones
  std::vector<Output> outputs;
  llvm::DenseSet<int> kept;
  int64_t step = 0;
  llvm::DenseMap<int, mlir::Operation *> kernels; ///< what computes a buffer, if that is no product or collective
};

} // namespace

int64_t forecastArena(const ProgramGraph &graph, const std::vector<int> &choice, CostModel &costs) {
  return ArenaForecast(graph, choice, costs).run();
}

int64_t forecastMemory(const ProgramGraph &graph, const std::vector<int> &choice, CostModel &costs) {
  int64_t bytes = forecastArena(graph, choice, costs);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (llvm::isa_and_nonnull<WeightOp>(graph.nodes[i].op))
      bytes += costs.localBytesOf(graph.nodes[i].value, graph.nodes[i].produces(choice[i]));
  return bytes;
}

int64_t lowerLimit(int64_t current, int64_t peakBytes, int64_t needed, int64_t limit) {
  return std::min(current, peakBytes) - (needed - limit);
}

} // namespace froe
