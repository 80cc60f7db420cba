// Exporters flatten dims in front of an operation and restore them behind it. Merges move down and splits move up until
// they meet and vanish, so that every op sees the dims of the model (batch, sequence, heads), along which it can be
// cut.
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {

std::optional<SmallVector<SmallVector<int64_t>>> mergedDims(ArrayRef<int64_t> split, ArrayRef<int64_t> merged) {
  SmallVector<SmallVector<int64_t>> groups(merged.size());
  size_t next = 0;
  for (auto [group, size] : llvm::zip(groups, merged)) {
    int64_t product = 1;
    while (next < split.size() && (group.empty() || product < size)) {
      product *= split[next];
      group.push_back(next++);
    }
    if (group.empty() || product != size)
      return std::nullopt;
  }
  // Dims of size 1 at the end belong to the last group.
  for (; next < split.size(); ++next) {
    if (groups.empty() || split[next] != 1)
      return std::nullopt;
    groups.back().push_back(next);
  }
  return groups;
}

namespace {

using Groups = SmallVector<SmallVector<int64_t>>;

/// Groups of a reshape that merges dims, and really so.
std::optional<Groups> merges(ReshapeOp op) {
  if (op.getType().getRank() >= op.getOperand().getType().getRank())
    return std::nullopt;
  return mergedDims(op.getOperand().getType().getShape(), op.getType().getShape());
}

/// Groups of a reshape that splits dims.
std::optional<Groups> splits(ReshapeOp op) {
  if (op.getType().getRank() <= op.getOperand().getType().getRank())
    return std::nullopt;
  return mergedDims(op.getType().getShape(), op.getOperand().getType().getShape());
}

Value reshapeTo(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return ReshapeOp::create(rewriter, loc, type.clone(shape), value);
}

/// The same op on other shapes.
Value recreate(PatternRewriter &rewriter, Operation *op, ValueRange operands, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(shape);
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// Whether the split form of `value` costs nothing: its source is a constant, or a broadcast along whole groups, or the
/// split value already.
bool splitsFreely(Value value, const Groups &groups) {
  if (value.getDefiningOp<ConstantOp>() || value.getDefiningOp<ReshapeOp>())
    return true;
  return value.getDefiningOp<BroadcastOp>() != nullptr;
}

/// An op whose result dim i depends on its operands' dim i alone, for the dims that a merge touches.
bool isUntouchedBy(Operation *op, const Groups &groups) {
  auto isSingle = [&](int64_t dim) { return groups[dim].size() == 1; };
  if (op->hasTrait<OpTrait::Elementwise>())
    return true;
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return isSingle(softmax.getDim());
  if (auto normalize = dyn_cast<NormalizeOp>(op)) {
    for (int64_t dim = normalize.getFirst(); dim < normalize.getType().getRank(); ++dim)
      if (!isSingle(dim))
        return false;
    return true;
  }
  return false;
}

/// op(merge(x), …) -> merge(op(x, …))
struct SinkMerge : RewritePattern {
  SinkMerge(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !isa<FroeDialect>(op->getDialect()))
      return failure();
    ReshapeOp merge;
    for (Value operand : op->getOperands())
      if (auto reshape = operand.getDefiningOp<ReshapeOp>(); reshape && merges(reshape))
        merge = reshape;
    auto resultType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!merge || !resultType || merge.getType().getShape() != resultType.getShape())
      return failure();
    Groups groups = *merges(merge);
    if (!isUntouchedBy(op, groups))
      return failure();
    ArrayRef<int64_t> shape = merge.getOperand().getType().getShape();
    for (Value operand : op->getOperands())
      if (hasResultShape(operand, resultType) && !splitsFreely(operand, groups))
        return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(hasResultShape(operand, resultType) ? reshapeTo(rewriter, op->getLoc(), operand, shape)
                                                             : operand);
    Value result = recreate(rewriter, op, operands, shape);
    if (auto normalize = result.getDefiningOp<NormalizeOp>())
      normalize.setFirst(groups[normalize.getFirst()].front());
    if (auto softmax = result.getDefiningOp<SoftmaxOp>())
      softmax.setDim(groups[softmax.getDim()].front());
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, resultType, result);
    return success();
  }

  /// Scale and bias of a normalisation have a shape of their own.
  static bool hasResultShape(Value operand, RankedTensorType type) {
    return cast<RankedTensorType>(operand.getType()).getShape() == type.getShape();
  }
};

/// split(op(x, …)) -> op(split(x), …), where the op has no other user and the splits can move on.
struct RaiseSplit : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool moves(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<ConstantOp, BroadcastOp, WeightOp>(op))
      return true;
    if (auto contract = dyn_cast<ContractOp>(op))
      return contract->hasOneUse() && contract.getRhs().getDefiningOp<WeightOp>();
    return isa<ReshapeOp>(op) && op->hasOneUse();
  }

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getOperand().getDefiningOp();
    if (!producer || !producer->hasTrait<OpTrait::Elementwise>() || !producer->hasOneUse() || !splits(op) ||
        !llvm::all_of(producer->getOperands(), moves))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : producer->getOperands())
      operands.push_back(reshapeTo(rewriter, op.getLoc(), operand, op.getType().getShape()));
    rewriter.replaceOp(op, recreate(rewriter, producer, operands, op.getType().getShape()));
    return success();
  }
};

/// split(broadcast(x)) -> broadcast(split(x))
struct RaiseSplitOverBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    auto groups = splits(op);
    if (!broadcast || !groups)
      return failure();
    SmallVector<int64_t> shape, dims;
    for (auto [dim, size] : llvm::zip(broadcast.getDims(), broadcast.getOperand().getType().getShape()))
      for (int64_t part : (*groups)[dim]) {
        // A repeated dim is repeated in all its parts.
        bool isRepeated = size == 1 && broadcast.getType().getDimSize(dim) != 1;
        shape.push_back(isRepeated ? 1 : op.getType().getDimSize(part));
        dims.push_back(part);
      }
    Value source = reshapeTo(rewriter, op.getLoc(), broadcast.getOperand(), shape);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), source, dims);
    return success();
  }
};

/// reshape(weight): the bytes are the same.
struct ReshapeWeight : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto weight = op.getOperand().getDefiningOp<WeightOp>();
    if (!weight)
      return failure();
    rewriter.replaceOpWithNewOp<WeightOp>(op, op.getType(), weight.getName(), weight.getFile(), weight.getOffset(),
                                          weight.getLength());
    return success();
  }
};

/// transpose(merge(x)) -> merge(transpose(x)), and transpose(split(x)) likewise where the split dims stay together.
struct SinkMergeBelowTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getOperand().getDefiningOp<ReshapeOp>();
    auto groups = merge ? merges(merge) : std::nullopt;
    if (!groups)
      return failure();
    SmallVector<int64_t> permutation, shape;
    for (int64_t dim : op.getPermutation())
      for (int64_t part : (*groups)[dim]) {
        permutation.push_back(part);
        shape.push_back(merge.getOperand().getType().getDimSize(part));
      }
    Value moved =
        TransposeOp::create(rewriter, op.getLoc(), op.getType().clone(shape), merge.getOperand(), permutation);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), moved);
    return success();
  }
};

/// broadcast(a size-1 dim added by a reshape): the dim is simply missing in the source.
///   broadcast(reshape(x: [4] to [4, 1]) dims [0, 1]) -> broadcast(x dims [0])
struct BroadcastWithoutUnits : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    RankedTensorType operand = op.getOperand().getType();
    SmallVector<int64_t> shape, dims;
    for (auto [size, dim] : llvm::zip(operand.getShape(), op.getDims()))
      if (size != 1 || op.getType().getDimSize(dim) == 1) {
        shape.push_back(size);
        dims.push_back(dim);
      }
    if (shape.size() == operand.getShape().size())
      return failure();
    Value source = reshapeTo(rewriter, op.getLoc(), op.getOperand(), shape);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), source, dims);
    return success();
  }
};

/// broadcast(broadcast(x)) is one broadcast.
struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(op.getDims()[dim]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getOperand(), dims);
    return success();
  }
};

} // namespace

void populateReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<SinkMerge, RaiseSplit, RaiseSplitOverBroadcast, ReshapeWeight, SinkMergeBelowTranspose,
               BroadcastWithoutUnits, MergeBroadcasts>(patterns.getContext());
}

} // namespace froe
