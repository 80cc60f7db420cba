#include "MatmulPosts.h"

#include "dialects/Rank/MatmulOrder.h"
#include "froe/Transforms/Passes.h"

namespace froe {
#define GEN_PASS_DEF_SELECTMATMULS
#include "lib/Transforms/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The letters of a transposed tensor's source.
std::string lettersBefore(StringRef letters, ArrayRef<int64_t> permutation) {
  std::string before(letters.size(), ' ');
  for (auto [i, source] : llvm::enumerate(permutation))
    before[source] = letters[i];
  return before;
}

/// Reads through transposes: strides express them.
void absorbTransposes(Value &operand, std::string &letters) {
  while (auto transpose = operand.getDefiningOp<TransposeOp>()) {
    letters = lettersBefore(letters, transpose.getPermutation());
    operand = transpose.getOperand();
  }
}

/// Reads through multiplication by a constant where posts, which work in f32, can do it to the result.
bool absorbScale(Product &product, Value &operand) {
  Operation *op = operand.getDefiningOp();
  Type element = typeOf(operand).getElementType();
  if (!op || !isa<MulOp, DivOp>(op) || !(element.isF32() || element.isF16() || element.isBF16()))
    return false;
  for (Value source : op->getOperands())
    if (std::optional<APFloat> scale = scaleOf(op, source)) {
      product.scale = product.scale ? *product.scale * *scale : *scale;
      operand = source;
      return true;
    }
  return false;
}

/// Reads through all that the step can do itself.
void absorbOperand(Product &product, Value &operand, std::string &letters) {
  do
    absorbTransposes(operand, letters);
  while (absorbScale(product, operand));
}

/// Sums in f32 that become halves at once are rounded as they are stored.
void absorbRounding(Product &product) {
  if (!product.result.hasOneUse())
    return;
  auto cast = dyn_cast<CastOp>(*product.result.user_begin());
  if (cast && !cast.getSaturate() && typeOf(cast.getResult()).getElementType() == typeOf(product.lhs).getElementType())
    product.result = cast.getResult();
}

/// Writes what a transpose behind the product would, as long as rows stay rows.
void absorbResultTransposes(Product &product) {
  while (product.result.hasOneUse()) {
    auto transpose = dyn_cast<TransposeOp>(*product.result.user_begin());
    if (!transpose)
      return;
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    if (permutation.empty() || permutation.back() != int64_t(permutation.size()) - 1)
      return;
    std::string letters;
    for (int64_t source : permutation)
      letters.push_back(product.resultLetters[source]);
    product.resultLetters = letters;
    product.result = transpose.getResult();
  }
}

bool isWeight(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  while (auto view = value.getDefiningOp<rank::ViewOp>())
    value = view.getOperand();
  return isa_and_nonnull<WeightOp>(value.getDefiningOp());
}

Value transposed(OpBuilder &builder, Location loc, Value value, StringRef from, StringRef to) {
  if (from == to)
    return value;
  SmallVector<int64_t> permutation, shape;
  for (char letter : to) {
    permutation.push_back(from.find(letter));
    shape.push_back(typeOf(value).getDimSize(permutation.back()));
  }
  return TransposeOp::create(builder, loc, typeOf(value).clone(shape), value, permutation);
}

/// Puts the operands in their places, and copies tensors of which no strides make a product.
void bringInOrder(OpBuilder &builder, Location loc, Product &product) {
  rank::MatmulOrder order = rank::orderOf(shapeOf(product, {}), isWeight(product.lhs), isWeight(product.rhs));
  if (order.swapped) {
    std::swap(product.lhs, product.rhs);
    std::swap(product.lhsLetters, product.rhsLetters);
  }
  product.lhs = transposed(builder, loc, product.lhs, product.lhsLetters, order.lhs);
  product.rhs = transposed(builder, loc, product.rhs, product.rhsLetters, order.rhs);
  product.lhsLetters = order.lhs;
  product.rhsLetters = order.rhs;
  if (order.result == product.resultLetters)
    return;
  SmallVector<int64_t> shape;
  for (char letter : order.result)
    shape.push_back(typeOf(product.result).getDimSize(product.resultLetters.find(letter)));
  auto contract = ContractOp::create(builder, loc, typeOf(product.result).clone(shape),
                                     order.lhs + "," + order.rhs + "->" + order.result, product.lhs, product.rhs);
  product.result.replaceAllUsesWith(
      transposed(builder, loc, contract.getResult(), order.result, product.resultLetters));
  product.resultLetters = order.result;
  product.result = contract.getResult();
}

Value reshaped(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value).clone(shape);
  return type == value.getType() ? value : ReshapeOp::create(builder, loc, type, value).getResult();
}

void selectMatmul(ContractOp contract) {
  Product product{contract.getLhs(),
                  contract.getRhs(),
                  contract.getLhsLetters().str(),
                  contract.getRhsLetters().str(),
                  contract.getResultLetters().str(),
                  contract.getResult(),
                  std::nullopt};
  absorbRounding(product);
  absorbOperand(product, product.lhs, product.lhsLetters);
  absorbOperand(product, product.rhs, product.rhsLetters);
  absorbResultTransposes(product);
  OpBuilder builder(product.result.getDefiningOp());
  bringInOrder(builder, contract.getLoc(), product);

  PostChain chain = findPosts(product);
  builder.setInsertionPoint(chain.last);
  if (chain.posts.empty())
    builder.setInsertionPointAfter(chain.last);
  SmallVector<Value> operands;
  for (const PostOperand &operand : chain.operands)
    operands.push_back(reshaped(builder, chain.last->getLoc(), operand.source, operand.shape));
  auto matmul = rank::MatmulOp::create(builder, chain.last->getLoc(), product.result.getType(), product.subscripts(),
                                       product.lhs, product.rhs, operands, builder.getArrayAttr(chain.posts));
  Value old = chain.last->getResult(0);
  Value result = reshaped(builder, chain.last->getLoc(), matmul.getResult(), typeOf(old).getShape());
  old.replaceAllUsesWith(result);
}

/// Erases what selection left without uses, from the end of the block backwards.
void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void makeViews(func::FuncOp main) {
  main.walk([](ReshapeOp reshape) {
    OpBuilder builder(reshape);
    auto view = rank::ViewOp::create(builder, reshape.getLoc(), reshape.getType(), reshape.getOperand());
    reshape.replaceAllUsesWith(view.getResult());
    reshape.erase();
  });
}

struct SelectMatmuls : impl::SelectMatmulsBase<SelectMatmuls> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    for (ContractOp contract : llvm::to_vector(main.getOps<ContractOp>()))
      selectMatmul(contract);
    eraseDeadOps(main.getBody().front());
    makeViews(main);
  }
};

} // namespace
} // namespace froe
