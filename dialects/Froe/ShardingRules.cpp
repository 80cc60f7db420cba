// Sharding rules that depend on attributes: one `getShardingRule()` an op. Constant rules stand in the ops' records.
#include "dialects/Froe/Froe.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace froe;

namespace {

/// Collects factors, naming them d0, d1, ... in order.
class RuleBuilder {
public:
  int parallel(int64_t size) { return add(size, FactorKind::Parallel); }
  int whole(int64_t size) { return add(size, FactorKind::Whole); }
  int add(int64_t size, FactorKind kind, ReduceKind reduce = ReduceKind::Sum) {
    return addNamed("d" + std::to_string(rule.factors.size()), size, kind, reduce);
  }
  int addNamed(std::string name, int64_t size, FactorKind kind, ReduceKind reduce = ReduceKind::Sum) {
    rule.factors.push_back({std::move(name), size, kind, reduce});
    return static_cast<int>(rule.factors.size()) - 1;
  }
  /// One new factor for each dim.
  TensorFactors tensor(llvm::ArrayRef<int64_t> shape, FactorKind kind) {
    TensorFactors dims;
    for (int64_t size : shape)
      dims.push_back({add(size, kind)});
    return dims;
  }
  void partial(std::vector<int> operands, std::vector<ReduceKind> kinds) {
    rule.partials.push_back({std::move(operands), std::move(kinds)});
  }
  /// The first operand's elements reach the result unchanged, so that any reduction commutes with the op.
  void movesElements() { partial({0}, {std::begin(kReduceKinds), std::end(kReduceKinds)}); }

  Rule rule;
};

llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// What may be done along a dim that is combined. Partial sums and products of halves would be rounded before they are
/// combined, and N ranks would not give the numbers of one: such dims are not cut. (Terms of max and min are exact.)
FactorKind combinedKind(mlir::Value result, ReduceKind kind) {
  auto type = llvm::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(result));
  bool rounds = type && type.getWidth() < 32 && (kind == ReduceKind::Sum || kind == ReduceKind::Product);
  return rounds ? FactorKind::Whole : FactorKind::Reduction;
}

Rule sourceRule(mlir::Value result, FactorKind kind) {
  RuleBuilder builder;
  builder.rule.results = {builder.tensor(shapeOf(result), kind)};
  return builder.rule;
}

/// A dim that operand and result share, untouched; or one that neither may cut.
void matchDim(RuleBuilder &builder, bool untouched, int64_t operandSize, int64_t resultSize, TensorFactors &operand,
              TensorFactors &result) {
  int factor = untouched ? builder.parallel(operandSize) : builder.whole(operandSize);
  operand.push_back({factor});
  result.push_back({untouched ? factor : builder.whole(resultSize)});
}

/// Splits both shapes of a reshape, major first, into factors that they share. Where sizes have no common factor left
/// (6x4 -> 8x3 after the 2), all dims up to the next common boundary get factors of their own, which must not be cut.
class ReshapeFactors {
public:
  ReshapeFactors(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) : sides{Side(from), Side(to)} {}

  Rule build() {
    while (sides[0].open() && sides[1].open()) {
      int64_t common = std::gcd(sides[0].left, sides[1].left);
      if (common > 1)
        takeBoth(common);
      else
        takeUpToBoundary();
    }
    builder.rule.operands = {std::move(sides[0].factors)};
    builder.rule.results = {std::move(sides[1].factors)};
    builder.movesElements();
    return builder.rule;
  }

private:
  struct Side {
    explicit Side(llvm::ArrayRef<int64_t> shape) : shape(shape), factors(shape.size()) { skipOnes(); }
    bool open() const { return dim < shape.size(); }
    /// Moves on while nothing is left of the current dim.
    void skipOnes() {
      while (left == 1 && ++next <= shape.size()) {
        dim = next - 1;
        left = shape[dim];
      }
      if (left == 1)
        dim = shape.size();
    }
    void take(int factor, int64_t size) {
      factors[dim].push_back(factor);
      left /= size;
      skipOnes();
    }
    llvm::ArrayRef<int64_t> shape;
    TensorFactors factors;
    size_t dim = 0, next = 0;
    int64_t left = 1; ///< what is not yet given to factors of dim `dim`
  };

  void takeBoth(int64_t size) {
    int factor = builder.parallel(size);
    for (Side &side : sides)
      side.take(factor, size);
  }
  int64_t takeRest(Side &side) {
    int64_t size = side.left;
    side.take(builder.whole(size), size);
    return size;
  }
  void takeUpToBoundary() {
    int64_t taken[2] = {takeRest(sides[0]), takeRest(sides[1])};
    while (taken[0] != taken[1]) {
      int behind = taken[0] < taken[1] ? 0 : 1;
      taken[behind] *= takeRest(sides[behind]);
    }
  }

  RuleBuilder builder;
  Side sides[2];
};

} // namespace

/// Elements that differ are kept on every rank; one number is a tensor of any shape.
Rule ConstantOp::getShardingRule() {
  return sourceRule(getResult(), isSplat() ? FactorKind::Parallel : FactorKind::Whole);
}
Rule WeightOp::getShardingRule() { return sourceRule(getResult(), FactorKind::Parallel); }
Rule IotaOp::getShardingRule() { return sourceRule(getResult(), FactorKind::Parallel); }

Rule ContractOp::getShardingRule() {
  RuleBuilder builder;
  FactorKind summedKind = combinedKind(getResult(), ReduceKind::Sum);
  std::map<char, int> factors;
  auto tensor = [&](llvm::StringRef letters, llvm::ArrayRef<int64_t> shape) {
    TensorFactors dims;
    for (auto [letter, size] : llvm::zip(letters, shape)) {
      bool summed = !getResultLetters().contains(letter);
      if (!factors.contains(letter))
        factors[letter] = builder.addNamed(std::string(1, letter), size, summed ? summedKind : FactorKind::Parallel);
      dims.push_back({factors[letter]});
    }
    return dims;
  };
  builder.rule.operands = {tensor(getLhsLetters(), shapeOf(getLhs())), tensor(getRhsLetters(), shapeOf(getRhs()))};
  builder.rule.results = {tensor(getResultLetters(), shapeOf(getResult()))};
  builder.partial({0}, {ReduceKind::Sum});
  builder.partial({1}, {ReduceKind::Sum});
  return builder.rule;
}

Rule ReduceOp::getShardingRule() {
  RuleBuilder builder;
  auto kind = static_cast<ReduceKind>(getKind());
  TensorFactors operand, result;
  for (auto [dim, size] : llvm::enumerate(shapeOf(getOperand()))) {
    bool reduced = llvm::is_contained(getDims(), static_cast<int64_t>(dim));
    operand.push_back({reduced ? builder.add(size, combinedKind(getResult(), kind), kind) : builder.parallel(size)});
    if (!reduced)
      result.push_back(operand.back());
  }
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  builder.partial({0}, {kind});
  return builder.rule;
}

Rule SoftmaxOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors dims = builder.tensor(shapeOf(getResult()), FactorKind::Parallel);
  builder.rule.factors[getDim()].kind = FactorKind::Whole;
  builder.rule.operands = builder.rule.results = {dims};
  return builder.rule;
}

Rule NormalizeOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors dims = builder.tensor(shapeOf(getResult()), FactorKind::Parallel);
  for (size_t dim = getFirst(); dim < dims.size(); ++dim)
    builder.rule.factors[dim].kind = FactorKind::Whole;
  builder.rule.operands = builder.rule.results = {dims};
  TensorFactors normalized(dims.begin() + getFirst(), dims.end());
  builder.rule.operands.resize((*this)->getNumOperands(), normalized);
  return builder.rule;
}

Rule ReshapeOp::getShardingRule() {
  llvm::ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  if (!llvm::is_contained(from, 0))
    return ReshapeFactors(from, to).build();
  RuleBuilder empty;
  empty.rule.operands = {empty.tensor(from, FactorKind::Whole)};
  empty.rule.results = {empty.tensor(to, FactorKind::Whole)};
  return empty.rule;
}

Rule TransposeOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors operand = builder.tensor(shapeOf(getOperand()), FactorKind::Parallel), result;
  for (int64_t dim : getPermutation())
    result.push_back(operand[dim]);
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}

Rule BroadcastOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors result = builder.tensor(shapeOf(getResult()), FactorKind::Parallel), operand;
  for (auto [dim, size] : llvm::zip(getDims(), shapeOf(getOperand())))
    operand.push_back(size == shapeOf(getResult())[dim] ? result[dim] : DimFactors());
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}

Rule ConcatOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors result = builder.tensor(shapeOf(getResult()), FactorKind::Parallel);
  builder.rule.factors[getDim()].kind = FactorKind::Whole;
  std::vector<int> all;
  for (mlir::Value value : getOperands()) {
    TensorFactors operand = result;
    operand[getDim()] = {builder.whole(shapeOf(value)[getDim()])};
    builder.rule.operands.push_back(operand);
    all.push_back(static_cast<int>(all.size()));
  }
  builder.rule.results = {result};
  builder.partial(all, {std::begin(kReduceKinds), std::end(kReduceKinds)});
  return builder.rule;
}

Rule SliceOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors operand, result;
  for (auto [from, to, start, stride] :
       llvm::zip(shapeOf(getOperand()), shapeOf(getResult()), getStarts(), getStrides()))
    matchDim(builder, from == to && start == 0 && stride == 1, from, to, operand, result);
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}

Rule PadOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors operand, result;
  for (auto [from, to, low, high] : llvm::zip(shapeOf(getOperand()), shapeOf(getResult()), getLow(), getHigh()))
    matchDim(builder, low == 0 && high == 0, from, to, operand, result);
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  // The padding is added once for each term: only zeros stay what they are in a sum.
  builder.partial({0}, {ReduceKind::Max, ReduceKind::Min, ReduceKind::And, ReduceKind::Or});
  if (mlir::matchPattern(mlir::Attribute(getValue()), mlir::m_AnyZeroFloat()) ||
      mlir::matchPattern(mlir::Attribute(getValue()), mlir::m_Zero()))
    builder.rule.partials[0].kinds.insert(builder.rule.partials[0].kinds.begin(), ReduceKind::Sum);
  return builder.rule;
}

/// Windows that divide a dim may be distributed; others would see neighbours.
Rule WindowOp::getShardingRule() {
  RuleBuilder builder;
  int64_t leading = getLeadingDims(), looked = getSizes().size();
  llvm::ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  TensorFactors operand = builder.tensor(from.take_front(leading), FactorKind::Parallel), windows;
  TensorFactors result = operand;
  for (int64_t i = 0; i < looked; ++i) {
    int place = builder.whole(getSizes()[i]);
    bool divides = isDivision(i);
    int window = builder.add(to[leading + looked + i], divides ? FactorKind::Parallel : FactorKind::Whole);
    operand.push_back(divides ? DimFactors{window, place} : DimFactors{builder.whole(from[leading + i])});
    result.push_back({place});
    windows.push_back({window});
  }
  result.insert(result.end(), windows.begin(), windows.end());
  builder.rule.operands = {operand};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}

/// Rows of a weight may be cut: each device has zeros for rows that it lacks. Zeros are exact in every type but bools,
/// which have no sum. Indices too narrow for the number of rows cannot be compared with it.
static FactorKind rowKind(GatherOp gather) {
  bool isNarrow = mlir::getElementTypeOrSelf(gather.getIndices()).getIntOrFloatBitWidth() < 32;
  bool isBool = gather.getType().getElementType().isInteger(1);
  bool isTable = gather.getOperand().getDefiningOp<WeightOp>() != nullptr;
  return isTable && !isNarrow && !isBool ? FactorKind::Reduction : FactorKind::Whole;
}

Rule GatherOp::getShardingRule() {
  RuleBuilder builder;
  TensorFactors operand = builder.tensor(shapeOf(getOperand()), FactorKind::Parallel);
  builder.rule.factors[getDim()].kind = rowKind(*this);
  TensorFactors indices = builder.tensor(shapeOf(getIndices()), FactorKind::Parallel), result = operand;
  result.erase(result.begin() + getDim());
  result.insert(result.begin() + getDim(), indices.begin(), indices.end());
  builder.rule.operands = {operand, indices};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}

Rule GatherNdOp::getShardingRule() {
  RuleBuilder builder;
  size_t batch = getBatchDims(), indexed = batch + shapeOf(getIndices()).back();
  TensorFactors operand = builder.tensor(shapeOf(getOperand()), FactorKind::Parallel);
  for (size_t dim = batch; dim < indexed; ++dim)
    builder.rule.factors[dim].kind = FactorKind::Whole;
  TensorFactors indices(operand.begin(), operand.begin() + batch);
  for (int64_t size : shapeOf(getIndices()).drop_front(batch).drop_back())
    indices.push_back({builder.parallel(size)});
  TensorFactors result = indices;
  result.insert(result.end(), operand.begin() + indexed, operand.end());
  indices.push_back({builder.whole(shapeOf(getIndices()).back())});
  builder.rule.operands = {operand, indices};
  builder.rule.results = {result};
  builder.movesElements();
  return builder.rule;
}
