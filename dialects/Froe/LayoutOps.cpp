#include "dialects/Froe/Froe.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace froe {

static LogicalResult verifyShape(Operation *op, ArrayRef<int64_t> expected) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (result.getShape() != expected)
    return op->emitOpError("expected a result of shape [") << expected << "], found " << result;
  return success();
}

static LogicalResult verifyCount(Operation *op, StringRef what, ArrayRef<int64_t> list, int64_t count) {
  if (static_cast<int64_t>(list.size()) != count)
    return op->emitOpError("expected ") << count << " " << what << ", found " << list.size();
  return success();
}

/// The operand where result and operand have one type, and nothing otherwise happens.
static OpFoldResult foldIdentity(Value operand, Type resultType) {
  return operand.getType() == resultType ? OpFoldResult(operand) : OpFoldResult();
}

// reshape

LogicalResult ReshapeOp::verify() {
  if (getOperand().getType().getNumElements() != getResult().getType().getNumElements())
    return emitOpError("expected equally many elements, found ")
           << getOperand().getType() << " and " << getResult().getType();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(getOperand(), getType()))
    return same;
  if (auto constant = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand()))
    return constant.reshape(getType());
  return {};
}

namespace {
/// reshape(reshape(x)) is one reshape.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand());
    return success();
  }
};

/// transpose(transpose(x)) is one transpose.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getOperand(), permutation);
    return success();
  }
};

/// A transpose that moves only dims of size 1 is a reshape, which costs nothing.
struct TransposeOfUnitDims : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    SmallVector<int64_t> moved;
    for (int64_t dim : op.getPermutation())
      if (op.getOperand().getType().getDimSize(dim) != 1)
        moved.push_back(dim);
    if (!llvm::is_sorted(moved))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

// transpose

LogicalResult TransposeOp::verify() {
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyCount(*this, "dims in the permutation", getPermutation(), operand.getRank())))
    return failure();
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  SmallVector<int64_t> shape;
  for (auto [index, dim] : llvm::enumerate(sorted))
    if (dim != static_cast<int64_t>(index))
      return emitOpError("expected a permutation, found [") << getPermutation() << "]";
  for (int64_t dim : getPermutation())
    shape.push_back(operand.getDimSize(dim));
  return verifyShape(*this, shape);
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  return llvm::is_sorted(getPermutation()) ? OpFoldResult(getOperand()) : OpFoldResult();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes, TransposeOfUnitDims>(context);
}

// broadcast

LogicalResult BroadcastOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (failed(verifyCount(*this, "dims", getDims(), operand.getRank())))
    return failure();
  if (!llvm::is_sorted(getDims(), std::less_equal<>()))
    return emitOpError("expected ascending dims, found [") << getDims() << "]";
  for (auto [size, dim] : llvm::zip(operand.getShape(), getDims())) {
    if (dim < 0 || dim >= result.getRank())
      return emitOpError("expected dims below ") << result.getRank() << ", found " << dim;
    if (size != 1 && size != result.getDimSize(dim))
      return emitOpError("expected size ")
             << result.getDimSize(dim) << " or 1 for result dim " << dim << ", found " << size;
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (OpFoldResult same = foldIdentity(getOperand(), getType()))
    return same;
  auto constant = dyn_cast_if_present<DenseElementsAttr>(adaptor.getOperand());
  return constant && constant.isSplat() ? OpFoldResult(constant.resizeSplat(getType())) : OpFoldResult();
}

// concat

LogicalResult ConcatOp::verify() {
  if (getOperands().empty())
    return emitOpError("expected operands");
  RankedTensorType result = getResult().getType();
  if (getDim() < 0 || getDim() >= result.getRank())
    return emitOpError("expected a dim below ") << result.getRank() << ", found " << getDim();
  int64_t total = 0;
  for (Value operand : getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() != result.getElementType() || type.getRank() != result.getRank())
      return emitOpError("expected operands of the result's element type and rank, found ")
             << type << " and " << result;
    total += type.getDimSize(getDim());
    SmallVector<int64_t> shape(type.getShape());
    shape[getDim()] = result.getDimSize(getDim());
    if (ArrayRef(shape) != result.getShape())
      return emitOpError("expected ") << type << " to equal " << result << " outside dim " << getDim();
  }
  if (total != result.getDimSize(getDim()))
    return emitOpError("expected size ") << total << " along dim " << getDim() << ", found " << result;
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getOperands().size() == 1 ? foldIdentity(getOperands()[0], getType()) : OpFoldResult();
}

// slice

LogicalResult SliceOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (result.getRank() != operand.getRank())
    return emitOpError("expected operand and result of one rank, found ") << operand << " and " << result;
  if (failed(verifyCount(*this, "starts", getStarts(), operand.getRank())) ||
      failed(verifyCount(*this, "strides", getStrides(), operand.getRank())))
    return failure();
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t count = result.getDimSize(dim), size = operand.getDimSize(dim), stride = getStrides()[dim];
    if (stride == 0)
      return emitOpError("expected strides other than 0");
    if (count == 0)
      continue;
    int64_t first = getStarts()[dim], last = first + (count - 1) * stride;
    if (std::min(first, last) < 0 || std::max(first, last) >= size)
      return emitOpError("expected indices below ")
             << size << " along dim " << dim << ", found " << first << " to " << last;
  }
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool forward = llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  return forward ? foldIdentity(getOperand(), getType()) : OpFoldResult();
}

// pad

LogicalResult PadOp::verify() {
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyCount(*this, "low sizes", getLow(), operand.getRank())) ||
      failed(verifyCount(*this, "high sizes", getHigh(), operand.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [size, low, high] : llvm::zip(operand.getShape(), getLow(), getHigh())) {
    if (low < 0 || high < 0)
      return emitOpError("expected sizes of at least 0, found ") << std::min(low, high);
    shape.push_back(low + size + high);
  }
  if (getValue().getType() != operand.getElementType())
    return emitOpError("expected a value of type ") << operand.getElementType() << ", found " << getValue().getType();
  return verifyShape(*this, shape);
}

// window

bool WindowOp::isDivision(size_t i) {
  int64_t size = getSizes()[i], dim = getLeadingDims() + int64_t(i);
  int64_t windows = getType().getDimSize(dim + int64_t(getSizes().size()));
  return getStrides()[i] == size && (size == 1 || getDilations()[i] == 1) &&
         getOperand().getType().getDimSize(dim) == windows * size;
}

LogicalResult WindowOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  int64_t looked = getSizes().size(), leading = getLeadingDims();
  if (looked == 0 || leading < 0)
    return emitOpError("expected sizes for 1 to ") << operand.getRank() << " dims, found " << looked;
  if (failed(verifyCount(*this, "strides", getStrides(), looked)) ||
      failed(verifyCount(*this, "dilations", getDilations(), looked)))
    return failure();
  if (result.getRank() != operand.getRank() + looked)
    return emitOpError("expected a result of rank ") << operand.getRank() + looked << ", found " << result;
  SmallVector<int64_t> shape(operand.getShape().take_front(leading));
  llvm::append_range(shape, getSizes());
  llvm::append_range(shape, result.getShape().drop_front(leading + looked));
  for (int64_t i = 0; i < looked; ++i) {
    int64_t size = getSizes()[i], stride = getStrides()[i], dilation = getDilations()[i];
    if (size < 1 || stride < 1 || dilation < 1)
      return emitOpError("expected sizes, strides and dilations of at least 1, found ")
             << std::min({size, stride, dilation});
    int64_t windows = shape[leading + looked + i], whole = operand.getDimSize(leading + i);
    int64_t needed = windows == 0 ? 0 : (windows - 1) * stride + (size - 1) * dilation + 1;
    if (needed > whole)
      return emitOpError("expected at least ")
             << needed << " elements along dim " << leading + i << ", found " << whole;
  }
  return verifyShape(*this, shape);
}

} // namespace froe
