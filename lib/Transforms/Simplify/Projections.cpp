// Queries, keys and values from one product: a result of size 3n that is sliced into n, n, n. The product gets a dim of
// size 3 of its own, so that n, and not 3n, is what devices share (a cut of 3n would not fall on the slices).
//
//   y: [s, 3n];  slice(y, 0 … n), slice(y, n … 2n), slice(y, 2n … 3n)
//   ->  z = reshape(y): [s, 3, n];  reshape(slice(z, 0)), …
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {
namespace {

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

  static bool isProjection(Operation *op) {
    if (isa<ContractOp>(op))
      return true;
    auto add = dyn_cast<AddOp>(op);
    auto isProduct = [](Value value) { return value.getDefiningOp<ContractOp>() && value.hasOneUse(); };
    auto isBias = [](Value value) { return value.getDefiningOp<BroadcastOp>() || value.getDefiningOp<ConstantOp>(); };
    return add &&
           ((isProduct(add.getLhs()) && isBias(add.getRhs())) || (isProduct(add.getRhs()) && isBias(add.getLhs())));
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

} // namespace

void populateProjectionPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitSlicedProjection>(patterns.getContext());
}

} // namespace froe
