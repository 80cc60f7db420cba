#include "lib/Conversion/KernelsToLLVM/ExpandMath.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace froe {
namespace {

/// Arithmetic on f32 and on its bits.
struct Float {
  ImplicitLocOpBuilder &b;

  Value constant(double value) const { return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value))); }
  Value integer(int32_t value) const { return arith::ConstantIntOp::create(b, value, 32); }
  Value add(Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) const { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) const { return arith::DivFOp::create(b, x, y); }
  /// x * y + z
  Value fma(Value x, Value y, Value z) const { return math::FmaOp::create(b, x, y, z); }
  Value bits(Value x) const { return arith::BitcastOp::create(b, b.getI32Type(), x); }
  Value fromBits(Value x) const { return arith::BitcastOp::create(b, b.getF32Type(), x); }
  Value select(arith::CmpFPredicate predicate, Value x, Value y, Value a, Value b_) const {
    return arith::SelectOp::create(b, arith::CmpFOp::create(b, predicate, x, y), a, b_);
  }
  /// x, but at least low; NaN stays.
  Value atLeast(Value x, double low) const {
    return select(arith::CmpFPredicate::OLT, x, constant(low), constant(low), x);
  }
  Value atMost(Value x, double high) const {
    return select(arith::CmpFPredicate::OGT, x, constant(high), constant(high), x);
  }
  /// `approximation` of an odd function of x that is +-1 from +-`bound` on.
  Value saturate(Value x, Value approximation, double bound) const {
    Value high = select(arith::CmpFPredicate::OGE, x, constant(bound), constant(1), approximation);
    return select(arith::CmpFPredicate::OLE, x, constant(-bound), constant(-1), high);
  }
  /// Coefficients of the highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients) const {
    Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }
};

/// e^x = 2^n e^r with |r| <= ln(2)/2; the coefficients are Cephes' (expf).
Value expandExp(Float f, Value x) {
  constexpr double kRound = 12582912.0; // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  x = f.atMost(f.atLeast(x, -88.0), 89.0);
  Value shifted = f.atMost(f.fma(x, f.constant(1.44269504088896341), f.constant(kRound)), kRound + 127);
  Value n = f.sub(shifted, f.constant(kRound));
  Value r = f.fma(n, f.constant(-0.693359375), x);
  r = f.fma(n, f.constant(2.12194440e-4), r);
  Value p = f.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
                             5.0000001201e-1, 1.0, 1.0});
  Value exponent = arith::AddIOp::create(f.b, f.bits(shifted), f.integer(127));
  Value power = f.fromBits(arith::ShLIOp::create(f.b, exponent, f.integer(23)));
  return f.mul(p, power);
}

/// x = 2^e m with m in [sqrt(1/2), sqrt(2)); the coefficients are Cephes' (logf).
Value expandLog(Float f, Value x) {
  using Predicate = arith::CmpFPredicate;
  Value smallest = f.constant(std::numeric_limits<float>::min());
  Value isSmall = arith::CmpFOp::create(f.b, Predicate::OLT, x, smallest);
  Value normal = arith::SelectOp::create(f.b, isSmall, f.mul(x, f.constant(8388608.0)), x);
  Value bits = f.bits(normal);
  Value exponent = arith::SubIOp::create(f.b, arith::ShRUIOp::create(f.b, bits, f.integer(23)), f.integer(126));
  Value fraction = arith::AndIOp::create(f.b, bits, f.integer(0x007fffff));
  Value m = f.fromBits(arith::OrIOp::create(f.b, fraction, f.integer(0x3f000000)));
  Value e = arith::SIToFPOp::create(f.b, f.b.getF32Type(), exponent);
  e = arith::SelectOp::create(f.b, isSmall, f.sub(e, f.constant(23)), e);
  Value isLow = arith::CmpFOp::create(f.b, Predicate::OLT, m, f.constant(0.70710678118654752440));
  e = arith::SelectOp::create(f.b, isLow, f.sub(e, f.constant(1)), e);
  m = f.sub(arith::SelectOp::create(f.b, isLow, f.add(m, m), m), f.constant(1));
  Value square = f.mul(m, m);
  Value p = f.polynomial(m, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                             -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
  p = f.mul(f.mul(p, m), square);
  p = f.fma(e, f.constant(-2.12194440e-4), p);
  p = f.fma(square, f.constant(-0.5), p);
  Value result = f.fma(e, f.constant(0.693359375), f.add(m, p));
  Value infinity = f.constant(std::numeric_limits<double>::infinity());
  result = f.select(Predicate::OEQ, x, infinity, infinity, result);
  result = f.select(Predicate::OEQ, x, f.constant(0), arith::NegFOp::create(f.b, infinity), result);
  return f.select(Predicate::ULT, x, f.constant(0), f.constant(std::numeric_limits<double>::quiet_NaN()), result);
}

/// A rational approximation, the one of Eigen (ptanh_float).
Value expandTanh(Float f, Value x) {
  Value clamped = f.atMost(f.atLeast(x, -7.90531110763549805), 7.90531110763549805);
  Value square = f.mul(clamped, clamped);
  Value p =
      f.polynomial(square, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                            1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
  Value q =
      f.polynomial(square, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
  return f.saturate(x, f.div(f.mul(clamped, p), q), 9.0);
}

/// A rational approximation, the one of XLA (chlo.erf of f32).
Value expandErf(Float f, Value x) {
  Value clamped = f.atMost(f.atLeast(x, -3.7439211627767994), 3.7439211627767994);
  Value square = f.mul(clamped, clamped);
  Value p = f.polynomial(square, {0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                                  0.18520832239976145, 1.128379143519084});
  Value q = f.polynomial(square, {-1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885,
                                  0.014070470171167667, 0.11098505178285362, 0.49746925110067538, 1.0});
  return f.saturate(x, f.div(f.mul(clamped, p), q), 3.7439211627767994);
}

void callErfOf(math::ErfOp op) {
  OpBuilder builder(op->getParentOfType<ModuleOp>());
  Type f64 = builder.getF64Type();
  FailureOr<LLVM::LLVMFuncOp> erf = LLVM::lookupOrCreateFn(builder, op->getParentOfType<ModuleOp>(), "erf", f64, f64);
  builder.setInsertionPoint(op);
  auto call = LLVM::CallOp::create(builder, op.getLoc(), *erf, op.getOperand());
  op->replaceAllUsesWith(call);
  op->erase();
}

template <typename Op> void replace(Op op, Value (*expand)(Float, Value)) {
  if (!op.getType().isF32())
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  op.replaceAllUsesWith(expand(Float{builder}, op.getOperand()));
  op->erase();
}

} // namespace

void expandMath(Operation *function) {
  SmallVector<Operation *> ops;
  function->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case<math::ExpOp>([](math::ExpOp exp) { replace(exp, expandExp); })
        .Case<math::LogOp>([](math::LogOp log) { replace(log, expandLog); })
        .Case<math::TanhOp>([](math::TanhOp tanh) { replace(tanh, expandTanh); })
        .Case<math::ErfOp>([](math::ErfOp erf) { replace(erf, expandErf); });
}

void callErf(Operation *function) {
  SmallVector<math::ErfOp> ops;
  function->walk([&](math::ErfOp op) { ops.push_back(op); });
  for (math::ErfOp op : ops)
    if (op.getType().isF64())
      callErfOf(op);
}

} // namespace froe
