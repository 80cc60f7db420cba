// Repeating moves down, past what may as well be done before it, and into the product that would read each element
// several times. So heads that share keys and values read them where they are.
//
//   op(broadcast(x), constants)                       ->  broadcast(op(x, constants))
//   contract "agrqd,agrkd->agrqk" q, broadcast(k)     ->  contract "agrqd,agkd->agrqk" q, k
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {
namespace {

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && constant.isSplat();
}

/// The same number under another shape.
Value resized(PatternRewriter &rewriter, Value splat, ArrayRef<int64_t> shape) {
  auto elements = cast<DenseElementsAttr>(splat.getDefiningOp<ConstantOp>().getValue());
  auto type = cast<RankedTensorType>(splat.getType()).clone(shape);
  return ConstantOp::create(rewriter, splat.getLoc(), type, elements.resizeSplat(type));
}

struct SinkBroadcast : RewritePattern {
  SinkBroadcast(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  /// The one operand that is no constant, where it is a broadcast.
  static BroadcastOp soleBroadcast(Operation *op) {
    BroadcastOp sole;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      bool isAnother = broadcast && sole && broadcast != sole;
      if (isAnother || (!broadcast && !isSplat(operand)))
        return {};
      sole = broadcast ? broadcast : sole;
    }
    return sole;
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    BroadcastOp broadcast = soleBroadcast(op);
    if (!broadcast)
      return failure();
    ArrayRef<int64_t> shape = broadcast.getOperand().getType().getShape();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isSplat(operand) ? resized(rewriter, operand, shape) : broadcast.getOperand());
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), operands, type.clone(shape), op->getAttrs());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, result, broadcast.getDims());
    return success();
  }
};

struct FoldOperandBroadcasts : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Where `operand` is repeated along letters that the result and the other operand have: what is repeated, and the
  /// letters of that. Dims of size 1 stay.
  static bool fold(PatternRewriter &rewriter, Value &operand, std::string &letters, StringRef other, StringRef result) {
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return false;
    for (auto [size, dim] : llvm::zip(broadcast.getOperand().getType().getShape(), broadcast.getDims()))
      if (size != broadcast.getType().getDimSize(dim))
        return false;
    std::string kept;
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(broadcast.getType().getShape())) {
      if (size == 1 || llvm::is_contained(broadcast.getDims(), static_cast<int64_t>(dim))) {
        kept += letters[dim];
        shape.push_back(size);
      } else if (!other.contains(letters[dim]) || !result.contains(letters[dim])) {
        return false;
      }
    }
    if (kept == letters)
      return false;
    operand = reshapeTo(rewriter, broadcast.getLoc(), broadcast.getOperand(), shape);
    letters = kept;
    return true;
  }

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    std::string left = op.getLhsLetters().str(), right = op.getRhsLetters().str();
    StringRef result = op.getResultLetters();
    if (!fold(rewriter, lhs, left, right, result) && !fold(rewriter, rhs, right, left, result))
      return failure();
    rewriter.replaceOpWithNewOp<ContractOp>(op, op.getType(), left + "," + right + "->" + result.str(), lhs, rhs);
    return success();
  }
};

} // namespace

void populateRepeatPatterns(RewritePatternSet &patterns) {
  patterns.add<SinkBroadcast, FoldOperandBroadcasts>(patterns.getContext());
}

} // namespace froe
