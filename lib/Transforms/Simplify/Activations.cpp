// GELU and SiLU, which exporters write as elementary operations.
//
//   gelu erf   0.5 * x * (1 + erf(x / sqrt(2)))
//   gelu tanh  0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
//   silu       x * sigmoid(x)
//
// in any order of the factors, with divisions or multiplications.
#include "lib/Transforms/Simplify/Patterns.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace froe {
namespace {

bool near(double found, double expected, Value x) {
  return isRounded(found, expected, getElementTypeOrSelf(x.getType()));
}

/// The summand beside a constant `number`; null where `value` is no such sum.
Value besideConstant(Value value, double number) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return {};
  for (auto [constant, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())})
    if (std::optional<double> found = splatValue(constant); found && near(*found, number, value))
      return other;
  return {};
}

bool isCube(Value value, Value x) {
  if (auto pow = value.getDefiningOp<PowOp>())
    return pow.getLhs() == x && splatValue(pow.getRhs()) == 3.0;
  return false;
}

/// x + 0.044715 * x^3
bool isTanhPolynomial(Value value, Value x) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add || (add.getLhs() != x && add.getRhs() != x))
    return false;
  Product cubic = Product::of(add.getLhs() == x ? add.getRhs() : add.getLhs());
  if (!near(cubic.constant, 0.044715, x))
    return false;
  bool isPower = cubic.leaves.size() == 1 && isCube(cubic.leaves[0], x);
  bool isProduct = cubic.leaves.size() == 3 && llvm::all_of(cubic.leaves, [&](Value leaf) { return leaf == x; });
  return isPower || isProduct;
}

std::optional<GeluForm> geluForm(Value gate, Value x) {
  Value inner = besideConstant(gate, 1.0);
  if (!inner)
    return std::nullopt;
  if (auto erf = inner.getDefiningOp<ErfOp>()) {
    Product scaled = Product::of(erf.getOperand());
    if (near(scaled.constant, std::numbers::sqrt2 / 2, x) && scaled.leaves.size() == 1 && scaled.leaves[0] == x)
      return GeluForm::Erf;
  }
  if (auto tanh = inner.getDefiningOp<TanhOp>()) {
    Product scaled = Product::of(tanh.getOperand());
    if (near(scaled.constant, std::sqrt(2 / std::numbers::pi), x) && scaled.leaves.size() == 1 &&
        isTanhPolynomial(scaled.leaves[0], x))
      return GeluForm::Tanh;
  }
  return std::nullopt;
}

struct RecognizeGelu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    Product product = Product::of(op);
    if (product.leaves.size() != 2 || !near(product.constant, 0.5, op))
      return failure();
    for (auto [x, gate] : {std::pair(0, 1), std::pair(1, 0)})
      if (std::optional<GeluForm> form = geluForm(product.leaves[gate], product.leaves[x])) {
        rewriter.replaceOpWithNewOp<GeluOp>(op, op.getType(), *form, product.leaves[x]);
        return success();
      }
    return failure();
  }
};

struct RecognizeSilu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (auto [x, gate] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
      if (auto sigmoid = gate.getDefiningOp<SigmoidOp>(); sigmoid && sigmoid.getOperand() == x) {
        rewriter.replaceOpWithNewOp<SiluOp>(op, op.getType(), x);
        return success();
      }
    return failure();
  }
};

} // namespace

void populateActivationPatterns(RewritePatternSet &patterns) {
  patterns.add<RecognizeGelu, RecognizeSilu>(patterns.getContext());
}

} // namespace froe
