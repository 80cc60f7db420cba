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
    // A dim of size 1 that has no counterpart is made of nothing.
    if (size == 1 && (next == split.size() || split[next] != 1))
      continue;
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

Value reshapeTo(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> shape) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  auto type = cast<RankedTensorType>(value.getType());
  return type.getShape() == shape ? value : ReshapeOp::create(rewriter, loc, type.clone(shape), value);
}

namespace {

using Groups = SmallVector<SmallVector<int64_t>>;

/// Whether some group joins several dims that matter.
bool joins(const Groups &groups, ArrayRef<int64_t> shape) {
  return llvm::any_of(groups, [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t dim) { return shape[dim] != 1; }) > 1;
  });
}

/// Groups of a reshape that moves down: it merges dims, or only adds or drops dims of size 1.
std::optional<Groups> merges(ReshapeOp op) {
  ArrayRef<int64_t> operand = op.getOperand().getType().getShape(), result = op.getType().getShape();
  return operand == result ? std::nullopt : mergedDims(operand, result);
}

/// Groups of a reshape that moves up: it splits dims.
std::optional<Groups> splits(ReshapeOp op) {
  ArrayRef<int64_t> operand = op.getOperand().getType().getShape(), result = op.getType().getShape();
  std::optional<Groups> groups = mergedDims(result, operand);
  return groups && joins(*groups, result) ? groups : std::nullopt;
}

/// The coarsest shape that both shapes merge dims of; nullopt where they have none.
///   [197, 4, 768] and [197, 48, 64]: [197, 4, 12, 64]
std::optional<SmallVector<int64_t>> commonRefinement(ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
  SmallVector<int64_t> shape;
  size_t i = 0, j = 0;
  int64_t a = 1, b = 1; // what is left of the current dims
  while (true) {
    while (a == 1 && i < left.size())
      a = left[i++];
    while (b == 1 && j < right.size())
      b = right[j++];
    if (a == 1 && b == 1)
      return shape;
    int64_t part = std::min(a, b);
    if (part <= 1 || a % part || b % part)
      return std::nullopt;
    shape.push_back(part);
    a /= part;
    b /= part;
  }
}

/// The same op on other shapes.
Value recreate(PatternRewriter &rewriter, Operation *op, ValueRange operands, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(shape);
  OperationState state(op->getLoc(), op->getName(), operands, type, op->getAttrs());
  return rewriter.create(state)->getResult(0);
}

/// Whether a reshape of `value` to `shape` vanishes into its source.
bool absorbsReshape(Value value, ArrayRef<int64_t> shape) {
  if (auto reshape = value.getDefiningOp<ReshapeOp>())
    return reshape.getOperand().getType().getShape() == shape;
  return isa_and_present<ConstantOp, BroadcastOp>(value.getDefiningOp());
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
      if (hasResultShape(operand, resultType) && !absorbsReshape(operand, shape))
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

/// reduce(merge(x)) -> merge(reduce(x))
struct SinkMergeBelowReduce : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getOperand().getDefiningOp<ReshapeOp>();
    std::optional<Groups> groups = merge ? merges(merge) : std::nullopt;
    if (!groups)
      return failure();
    SmallVector<int64_t> dims, shape;
    for (auto [dim, group] : llvm::enumerate(*groups))
      for (int64_t part : group)
        if (llvm::is_contained(op.getDims(), static_cast<int64_t>(dim)))
          dims.push_back(part);
        else
          shape.push_back(merge.getOperand().getType().getDimSize(part));
    if (dims.empty())
      return failure();
    Value reduced = ReduceOp::create(rewriter, op.getLoc(), op.getType().clone(shape), op.getKind(), merge.getOperand(),
                                     rewriter.getDenseI64ArrayAttr(dims));
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), reduced, op.getType().getShape()));
    return success();
  }
};

/// slice(merge(x)) -> merge(slice(x)), where merged dims are left whole
struct SinkMergeBelowSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getOperand().getDefiningOp<ReshapeOp>();
    std::optional<Groups> groups = merge ? merges(merge) : std::nullopt;
    if (!groups)
      return failure();
    SmallVector<int64_t> shape(merge.getOperand().getType().getShape());
    SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
    for (auto [dim, group] : llvm::enumerate(*groups)) {
      bool isWhole = op.getType().getDimSize(dim) == merge.getType().getDimSize(dim) && op.getStrides()[dim] == 1;
      if (group.size() != 1 && !isWhole)
        return failure();
      if (group.size() != 1)
        continue;
      shape[group[0]] = op.getType().getDimSize(dim);
      starts[group[0]] = op.getStarts()[dim];
      strides[group[0]] = op.getStrides()[dim];
    }
    Value slice =
        SliceOp::create(rewriter, op.getLoc(), op.getType().clone(shape), merge.getOperand(), starts, strides);
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), slice, op.getType().getShape()));
    return success();
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

/// reshape(broadcast(x)), where only dims of size 1 come or go: the broadcast goes to the other shape.
struct ReshapeUnitsOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
    auto groups = broadcast ? mergedDims(broadcast.getType().getShape(), op.getType().getShape()) : std::nullopt;
    if (!groups || joins(*groups, broadcast.getType().getShape()))
      return failure();
    SmallVector<int64_t> place(broadcast.getType().getRank(), -1), shape, dims;
    for (auto [dim, group] : llvm::enumerate(*groups))
      for (int64_t part : group)
        if (broadcast.getType().getDimSize(part) != 1)
          place[part] = dim;
    for (auto [size, dim] : llvm::zip(broadcast.getOperand().getType().getShape(), broadcast.getDims()))
      if (place[dim] >= 0) {
        shape.push_back(size);
        dims.push_back(place[dim]);
      }
    Value source = reshapeTo(rewriter, op.getLoc(), broadcast.getOperand(), shape);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), source, dims);
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

/// transpose(merge(x)) -> merge(transpose(x)). A reshape that both splits and merges is taken apart for it.
struct SinkMergeBelowTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto merge = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!merge || splits(merge) || merge.getType() == merge.getOperand().getType())
      return failure();
    auto groups = merges(merge);
    if (!groups) {
      auto fine = commonRefinement(merge.getOperand().getType().getShape(), merge.getType().getShape());
      groups = fine ? mergedDims(*fine, merge.getType().getShape()) : std::nullopt;
      if (!groups)
        return failure();
      Value split = ReshapeOp::create(rewriter, op.getLoc(), merge.getType().clone(*fine), merge.getOperand());
      merge = ReshapeOp::create(rewriter, op.getLoc(), merge.getType(), split);
    }
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
  patterns.add<SinkMerge, SinkMergeBelowReduce, SinkMergeBelowSlice, RaiseSplit, RaiseSplitOverBroadcast,
               ReshapeUnitsOfBroadcast, ReshapeWeight, SinkMergeBelowTranspose, BroadcastWithoutUnits, MergeBroadcasts>(
      patterns.getContext());
}

} // namespace froe
