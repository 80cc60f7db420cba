// Root-mean-square normalisation, which exporters write as elementary operations:
//
//   x * reciprocal(sqrt(sum(x^2) / n + epsilon)), and a multiplication by the scale behind it
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {
namespace {

bool isSquare(Value value, Value x) {
  if (auto pow = value.getDefiningOp<PowOp>())
    return pow.getLhs() == x && splatValue(pow.getRhs()) == 2.0;
  auto mul = value.getDefiningOp<MulOp>();
  return mul && mul.getLhs() == x && mul.getRhs() == x;
}

/// Where the dims of a value stand in another that it is repeated to.
using Places = SmallVector<int64_t>;

Places composed(ArrayRef<int64_t> inner, ArrayRef<int64_t> outer) {
  Places places;
  for (int64_t place : inner)
    places.push_back(place < 0 ? -1 : outer[place]);
  return places;
}

/// The first normalised dim, where `value` is the mean of x^2 over all dims from it on, and its other dims, which stand
/// in x at `places`, stand there where they come from.
std::optional<int64_t> meanOfSquares(Value value, Value x, ArrayRef<int64_t> places) {
  Repeated scaled = Repeated::of(value);
  Product mean = Product::of(scaled.source);
  if (mean.leaves.size() != 1)
    return std::nullopt;
  Repeated reduced = Repeated::of(mean.leaves[0]);
  auto sum = reduced.source.getDefiningOp<ReduceOp>();
  if (!sum || sum.getKind() != Reduction::Sum || !isSquare(sum.getOperand(), x) || sum.getDims().empty())
    return std::nullopt;
  RankedTensorType type = sum.getOperand().getType();
  int64_t first = sum.getDims().front(), count = 1;
  for (int64_t dim = first; dim < type.getRank(); ++dim)
    count *= type.getDimSize(dim);
  bool isTrailing = static_cast<int64_t>(sum.getDims().size()) == type.getRank() - first;
  if (!isTrailing || !isRounded(mean.constant * count, 1, type.getElementType()))
    return std::nullopt;
  for (auto [dim, place] : llvm::enumerate(composed(composed(reduced.dims, scaled.dims), places)))
    if (place >= 0 && place != static_cast<int64_t>(dim))
      return std::nullopt;
  return first;
}

struct RecognizeRms : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (auto [x, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      Repeated repeated = Repeated::of(factor);
      auto reciprocal = repeated.source.getDefiningOp<ReciprocalOp>();
      auto root = reciprocal ? reciprocal.getOperand().getDefiningOp<SqrtOp>() : SqrtOp();
      auto sum = root ? root.getOperand().getDefiningOp<AddOp>() : AddOp();
      if (!sum)
        continue;
      for (auto [mean, epsilon] : {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
        std::optional<double> number = splatValue(epsilon);
        std::optional<int64_t> first = number ? meanOfSquares(mean, x, repeated.dims) : std::nullopt;
        if (!first)
          continue;
        rewriter.replaceOpWithNewOp<NormalizeOp>(op, op.getType(), NormalizeForm::Rms, x, Value(), Value(), *first,
                                                 APFloat(*number));
        return success();
      }
    }
    return failure();
  }
};

/// normalize(x) * broadcast(scale): the scale joins the normalisation.
struct AbsorbScale : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (auto [value, factor] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto normalize = value.getDefiningOp<NormalizeOp>();
      auto broadcast = factor.getDefiningOp<BroadcastOp>();
      if (!normalize || !normalize->hasOneUse() || normalize.getScale() || normalize.getBias() || !broadcast)
        continue;
      ArrayRef<int64_t> normalized = op.getType().getShape().drop_front(normalize.getFirst());
      RankedTensorType scale = broadcast.getOperand().getType();
      if (scale.getShape() != normalized || broadcast.getDims().empty() ||
          broadcast.getDims().front() != normalize.getFirst())
        continue;
      rewriter.replaceOpWithNewOp<NormalizeOp>(op, op.getType(), normalize.getForm(), normalize.getOperand(),
                                               broadcast.getOperand(), Value(), normalize.getFirst(),
                                               normalize.getEpsilon());
      return success();
    }
    return failure();
  }
};

} // namespace

void populateNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeRms, AbsorbScale>(patterns.getContext());
}

} // namespace froe
