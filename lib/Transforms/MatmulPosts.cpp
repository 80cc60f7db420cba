#include "MatmulPosts.h"

#include "dialects/Froe/Constants.h"

using namespace mlir;

namespace froe {
namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Which dims of a reshape's two sides belong together: the finest grouping with equal element counts. Dims of size 1
/// belong to no group.
struct DimGroup {
  SmallVector<int64_t> from, to;
};
SmallVector<DimGroup> groupDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  size_t i = 0, j = 0;
  auto skipUnits = [&] {
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
  };
  for (skipUnits(); i < from.size() && j < to.size(); skipUnits()) {
    DimGroup group{{int64_t(i)}, {int64_t(j)}};
    int64_t left = from[i++], right = to[j++];
    while (left != right) {
      bool takeLeft = left < right;
      if (takeLeft ? i == from.size() : j == to.size())
        return {}; // only where a dim is 0
      auto &size = takeLeft ? left : right;
      size *= takeLeft ? from[i] : to[j];
      takeLeft ? group.from.push_back(i++) : group.to.push_back(j++);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

/// How `value`, shaped like the chain's present value, reads in the shape of the product.
std::optional<PostOperand> operandInProduct(Value value, ArrayRef<int64_t> productShape, StringRef productLetters) {
  ArrayRef<int64_t> shape = shapeOf(value);
  SmallVector<bool> present(shape.size(), true);
  Value source = value;
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    source = broadcast.getOperand();
    llvm::fill(present, false);
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      present[dim] = shapeOf(source)[i] == shape[dim];
  }
  PostOperand operand{source, {}, {}};
  for (const DimGroup &group : groupDims(shape, productShape)) {
    bool all = llvm::all_of(group.from, [&](int64_t dim) { return present[dim]; });
    if (!all && llvm::any_of(group.from, [&](int64_t dim) { return present[dim]; }))
      return std::nullopt;
    for (int64_t dim : group.to)
      if (all) {
        operand.shape.push_back(productShape[dim]);
        operand.letters.push_back(productLetters[dim]);
      }
  }
  if (ShapedType::getNumElements(operand.shape) != ShapedType::getNumElements(shapeOf(source)))
    return std::nullopt;
  return operand;
}

std::optional<rank::PostKind> activationOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<rank::PostKind>>(op)
      .Case<ReluOp>([](auto) { return rank::PostKind::Relu; })
      .Case<SiluOp>([](auto) { return rank::PostKind::Silu; })
      .Case<TanhOp>([](auto) { return rank::PostKind::Tanh; })
      .Case<SigmoidOp>([](auto) { return rank::PostKind::Sigmoid; })
      .Case<GeluOp>([](GeluOp gelu) {
        return gelu.getForm() == GeluForm::Erf ? rank::PostKind::GeluErf : rank::PostKind::GeluTanh;
      })
      .Default([](auto) { return std::nullopt; });
}

rank::PostAttr scalePost(APFloat factor, MLIRContext *context) {
  bool losesInfo;
  factor.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return rank::PostAttr::get(context, rank::PostKind::Scale, FloatAttr::get(Float32Type::get(context), factor), {});
}

/// Appends what `op` does to `value`, if a step can do it.
bool append(PostChain &chain, Operation *op, Value value, const Product &product) {
  MLIRContext *context = op->getContext();
  if (std::optional<rank::PostKind> kind = activationOf(op)) {
    chain.posts.push_back(rank::PostAttr::get(context, *kind, {}, {}));
    return true;
  }
  if (std::optional<APFloat> scale = scaleOf(op, value)) {
    chain.posts.push_back(scalePost(*scale, context));
    return true;
  }
  if (!isa<AddOp, MulOp>(op))
    return false;
  Value other = op->getOperand(op->getOperand(0) == value ? 1 : 0);
  if (numberOf(other))
    return false; // a constant is cheap in a kernel; here it would need a buffer
  std::optional<PostOperand> operand = operandInProduct(other, shapeOf(product.result), product.resultLetters);
  if (!operand)
    return false;
  chain.operands.push_back(*operand);
  if (!rank::stridesOf(shapeOf(product, chain.operands))) {
    chain.operands.pop_back();
    return false;
  }
  auto kind = isa<AddOp>(op) ? rank::PostKind::Add : rank::PostKind::Mul;
  chain.posts.push_back(rank::PostAttr::get(context, kind, {}, StringAttr::get(context, operand->letters)));
  return true;
}

} // namespace

std::optional<APFloat> scaleOf(Operation *op, Value value) {
  if (!isa<MulOp, DivOp>(op) || (isa<DivOp>(op) && op->getOperand(0) != value))
    return std::nullopt;
  std::optional<APFloat> splat = numberOf(op->getOperand(op->getOperand(0) == value ? 1 : 0));
  if (!splat || isa<MulOp>(op))
    return splat;
  APFloat inverse(1.0);
  bool losesInfo;
  inverse.convert(splat->getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  inverse.divide(*splat, APFloat::rmNearestTiesToEven);
  return inverse;
}

rank::MatmulShape shapeOf(const Product &product, ArrayRef<PostOperand> operands) {
  rank::MatmulShape shape{{product.lhsLetters, shapeOf(product.lhs)},
                          {product.rhsLetters, shapeOf(product.rhs)},
                          {product.resultLetters, shapeOf(product.result)},
                          {}};
  for (const PostOperand &operand : operands)
    shape.posts.push_back({operand.letters, operand.shape});
  return shape;
}

PostChain findPosts(const Product &product) {
  PostChain chain;
  Value value = product.result;
  chain.last = value.getDefiningOp();
  Type element = getElementTypeOrSelf(value.getType());
  // Posts work in f32.
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return chain;
  if (product.scale)
    chain.posts.push_back(scalePost(*product.scale, value.getContext()));
  while (value.hasOneUse() && chain.posts.size() < FROE_MAX_POSTS) {
    Operation *user = *value.user_begin();
    if (!isa<ReshapeOp>(user)) {
      if (!append(chain, user, value, product))
        break;
      chain.last = user;
    }
    value = user->getResult(0);
  }
  return chain;
}

} // namespace froe
