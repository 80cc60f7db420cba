#include "froe/Transforms/Passes.h"

#include "dialects/Froe/Froe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace froe {
#define GEN_PASS_DEF_CONVERTFLOATS
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
bool isF32(Value value) { return elementOf(value).isF32(); }
RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

/// `value` rounded to the type `to`; what is finite stays finite.
APFloat rounded(APFloat value, FloatType to) {
  bool losesInfo, wasFinite = value.isFinite(), isNegative = value.isNegative();
  value.convert(to.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.isInfinity() && wasFinite ? APFloat::getLargest(to.getFloatSemantics(), isNegative) : value;
}

DenseElementsAttr rounded(DenseElementsAttr elements, FloatType to) {
  auto type = cast<RankedTensorType>(elements.getType()).clone(to);
  if (elements.isSplat())
    return DenseElementsAttr::get(type, rounded(elements.getSplatValue<APFloat>(), to));
  auto values = llvm::map_to_vector(elements.getValues<APFloat>(), [&](APFloat value) { return rounded(value, to); });
  return DenseElementsAttr::get(type, values);
}

/// Of many terms: the sum and what is done to it alone (a mean, a variance plus epsilon) belongs in f32.
bool isSum(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && roundsEachTerm(reduce.getKind());
}

/// Weights, inputs and what is computed from them are a model's data, and become narrow. All else stays f32 until it
/// meets data: constants, and what is computed from them and from integers (positions, frequencies, masks).
class FloatConverter {
public:
  FloatConverter(func::FuncOp main, FloatType to) : main(main), to(to) {}

  void run() {
    Block &body = main.getBody().front();
    for (BlockArgument argument : main.getArguments())
      convertInput(argument);
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      convert(&op);
    convertOutputs(body.getTerminator());
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.getOperations())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  static bool isData(Value value) {
    auto type = dyn_cast<FloatType>(elementOf(value));
    return type && type.getWidth() < 32;
  }

  /// An input that is an output as well stays as it is there.
  void convertInput(BlockArgument argument) {
    auto computes = [](Operation *user) { return !user->hasTrait<OpTrait::IsTerminator>(); };
    if (!isF32(argument) || llvm::none_of(argument.getUsers(), computes))
      return;
    Value narrow = narrowed(argument);
    argument.replaceUsesWithIf(
        narrow, [&](OpOperand &use) { return computes(use.getOwner()) && use.getOwner() != narrow.getDefiningOp(); });
  }

  void convertOutputs(Operation *terminator) {
    OpBuilder builder(terminator);
    for (auto [operand, type] : llvm::zip_equal(terminator->getOpOperands(), main.getResultTypes()))
      if (operand.get().getType() != type)
        operand.set(CastOp::create(builder, operand.get().getDefiningOp()->getLoc(), cast<RankedTensorType>(type),
                                   operand.get()));
  }

  void convert(Operation *op) {
    if (auto weight = dyn_cast<WeightOp>(op); weight && isF32(weight.getResult()))
      weight.setStoredAttr(TypeAttr::get(elementOf(weight.getResult())));
    else if (!llvm::any_of(op->getOperands(), isData))
      return;
    if (isSum(op))
      return keepSum(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isF32(operand.get()))
        operand.set(narrowed(operand.get()));
    if (auto pad = dyn_cast<PadOp>(op); pad && isF32(pad.getResult()))
      pad.setValueAttr(FloatAttr::get(to, rounded(cast<FloatAttr>(Attribute(pad.getValue())).getValue(), to)));
    for (Value result : op->getResults())
      if (isF32(result))
        result.setType(withElement(result, to));
    if (isa<CastOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      op->erase();
    }
  }

  void keepSum(Operation *reduce) {
    Value operand = reduce->getOperand(0);
    if (!isF32(reduce->getResult(0)))
      return;
    OpBuilder builder(reduce);
    reduce->setOperand(0,
                       CastOp::create(builder, reduce->getLoc(), withElement(operand, builder.getF32Type()), operand));
  }

  /// An f32 value in the type `to`. Constants are rounded here, also behind repetition, where their users look for
  /// them.
  Value narrowed(Value value) {
    if (Value known = narrow.lookup(value))
      return known;
    OpBuilder builder(main.getContext());
    builder.setInsertionPointAfterValue(value);
    Operation *op = value.getDefiningOp();
    Value result;
    if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
      auto elements = rounded(cast<DenseElementsAttr>(constant.getValue()), to);
      result = ConstantOp::create(builder, op->getLoc(), cast<RankedTensorType>(elements.getType()), elements);
    } else if (isa_and_nonnull<BroadcastOp, ReshapeOp, TransposeOp>(op)) {
      IRMapping mapping;
      mapping.map(op->getOperand(0), narrowed(op->getOperand(0)));
      result = builder.clone(*op, mapping)->getResult(0);
      result.setType(withElement(result, to));
    } else {
      result = CastOp::create(builder, value.getLoc(), withElement(value, to), value, /*saturate=*/true);
    }
    return narrow[value] = result;
  }

  func::FuncOp main;
  FloatType to;
  llvm::DenseMap<Value, Value> narrow;
};

struct ConvertFloats : impl::ConvertFloatsBase<ConvertFloats> {
  using ConvertFloatsBase::ConvertFloatsBase;

  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    MLIRContext *context = &getContext();
    if (type == "f16" || type == "bf16")
      FloatConverter(main, type == "f16" ? FloatType(Float16Type::get(context)) : BFloat16Type::get(context)).run();
    else if (!type.empty() && type != "tf32")
      return getOperation().emitError("expected type f16, bf16 or tf32, found '") << type << "'", signalPassFailure();
    if (!type.empty())
      getOperation()->setAttr(FroeDialect::kFloats, StringAttr::get(context, type));
  }
};

} // namespace
} // namespace froe
