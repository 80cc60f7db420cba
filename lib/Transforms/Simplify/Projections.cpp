// Queries, keys and values from one product: a result of size 3n that is sliced into n, n, n. The product gets a dim of
// size 3 of its own, so that n, and not 3n, is what devices share (a cut of 3n would not fall on the slices).
//
//   y: [s, 3n];  slice(y, 0 … n), slice(y, n … 2n), slice(y, 2n … 3n)
//   ->  z = reshape(y): [s, 3, n];  reshape(slice(z, 0)), …
//
// Where all parts are split into heads, the product has heads.
//
//   z: [s, 3, n];  reshape(slice(z, 0)): [s, heads, size], …
//   ->  reshape(z): [s, 3, heads, size];  reshape(slice(…, 0)), …
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {
namespace {

bool isProjection(Operation *op) {
  if (isa<ContractOp>(op))
    return true;
  auto add = dyn_cast<AddOp>(op);
  auto isProduct = [](Value value) { return value.getDefiningOp<ContractOp>() && value.hasOneUse(); };
  auto isBias = [](Value value) { return value.getDefiningOp<BroadcastOp>() || value.getDefiningOp<ConstantOp>(); };
  return add &&
         ((isProduct(add.getLhs()) && isBias(add.getRhs())) || (isProduct(add.getRhs()) && isBias(add.getLhs())));
}

struct SplitSlicedProjection : RewritePattern {
  SplitSlicedProjection(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  /// The size of the parts, where all users are slices of one size at its multiples along the last dim, and nothing
  /// else.
  static std::optional<int64_t> partSize(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() == 0)
      return std::nullopt;
    int64_t last = type.getRank() - 1, size = 0, users = 0;
    for (Operation *user : value.getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
        return std::nullopt;
      if (slice.getType().getShape().drop_back() != type.getShape().drop_back())
        return std::nullopt;
      int64_t part = slice.getType().getDimSize(last);
      if ((size && part != size) || part == 0 || slice.getStarts()[last] % part != 0)
        return std::nullopt;
      size = part;
      ++users;
    }
    if (users < 2 || type.getDimSize(last) % size != 0)
      return std::nullopt;
    return size;
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !isProjection(op))
      return failure();
    Value value = op->getResult(0);
    std::optional<int64_t> size = partSize(value);
    if (!size)
      return failure();
    auto type = cast<RankedTensorType>(value.getType());
    int64_t last = type.getRank() - 1;
    SmallVector<int64_t> shape(type.getShape().drop_back());
    shape.append({type.getDimSize(last) / *size, *size});
    rewriter.setInsertionPointAfter(op);
    SmallVector<Operation *> slices(value.getUsers());
    Value parts = ReshapeOp::create(rewriter, op->getLoc(), type.clone(shape), value);
    for (Operation *user : slices) {
      auto slice = cast<SliceOp>(user);
      SmallVector<int64_t> starts(slice.getStarts()), strides(shape.size(), 1), partShape(shape);
      starts[last] /= *size;
      starts.push_back(0);
      partShape[last] = 1;
      rewriter.setInsertionPoint(slice);
      Value part = SliceOp::create(rewriter, slice.getLoc(), type.clone(partShape), parts, starts, strides);
      rewriter.replaceOpWithNewOp<ReshapeOp>(slice, slice.getType(), part);
    }
    return success();
  }
};

struct SplitHeadsOfProjection : RewritePattern {
  SplitHeadsOfProjection(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  using Shape = SmallVector<int64_t>;

  /// The shape of `value` after what its user, a slice, is split into; nullopt where it is not split along whole dims.
  static std::optional<Shape> splitShape(Value value, Operation *user) {
    auto slice = dyn_cast<SliceOp>(user);
    auto split = slice && slice->hasOneUse() ? dyn_cast<ReshapeOp>(*slice->user_begin()) : ReshapeOp();
    auto groups = split ? mergedDims(split.getType().getShape(), slice.getType().getShape()) : std::nullopt;
    if (!groups)
      return std::nullopt;
    Shape shape;
    ArrayRef<int64_t> whole = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [dim, group] : llvm::enumerate(*groups)) {
      Shape parts;
      for (int64_t part : group)
        if (split.getType().getDimSize(part) != 1)
          parts.push_back(split.getType().getDimSize(part));
      bool isWhole = slice.getType().getDimSize(dim) == whole[dim] && slice.getStrides()[dim] == 1;
      if (parts.size() > 1 && !isWhole)
        return std::nullopt;
      shape.append(parts.size() > 1 ? parts : Shape{whole[dim]});
    }
    return shape.size() > whole.size() ? std::optional(shape) : std::nullopt;
  }

  /// The slice of `parts`, which is the operand of `slice` under a finer shape.
  static Value sliceOf(PatternRewriter &rewriter, Value parts, SliceOp slice) {
    ArrayRef<int64_t> fine = cast<RankedTensorType>(parts.getType()).getShape();
    auto groups = mergedDims(fine, slice.getOperand().getType().getShape());
    SmallVector<int64_t> shape(fine), starts(fine.size(), 0), strides(fine.size(), 1);
    for (auto [dim, group] : llvm::enumerate(*groups))
      if (group.size() == 1) {
        shape[group[0]] = slice.getType().getDimSize(dim);
        starts[group[0]] = slice.getStarts()[dim];
        strides[group[0]] = slice.getStrides()[dim];
      }
    return SliceOp::create(rewriter, slice.getLoc(), slice.getType().clone(shape), parts, starts, strides);
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !isProjection(op) || op->use_empty())
      return failure();
    Value value = op->getResult(0);
    std::optional<Shape> shape = splitShape(value, *value.user_begin());
    if (!shape || !llvm::all_of(value.getUsers(), [&](Operation *user) { return splitShape(value, user) == shape; }))
      return failure();
    SmallVector<Operation *> slices(value.getUsers());
    rewriter.setInsertionPointAfter(op);
    auto type = cast<RankedTensorType>(value.getType()).clone(*shape);
    Value parts = ReshapeOp::create(rewriter, op->getLoc(), type, value);
    for (Operation *user : slices) {
      Operation *split = *user->user_begin();
      rewriter.setInsertionPoint(user);
      Value part = sliceOf(rewriter, parts, cast<SliceOp>(user));
      rewriter.replaceOpWithNewOp<ReshapeOp>(split, split->getResult(0).getType(), part);
      rewriter.eraseOp(user);
    }
    return success();
  }
};

} // namespace

void populateProjectionPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitSlicedProjection, SplitHeadsOfProjection>(patterns.getContext());
}

} // namespace froe
