#include "MatmulPosts.h"

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

/// Whether the result's last dim of more than one element comes from the rhs alone (then -1: from the lhs alone; 0:
/// both).
int fastestSide(const Product &product) {
  ArrayRef<int64_t> shape = typeOf(product.result).getShape();
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    bool inLhs = product.lhsLetters.contains(product.resultLetters[i]);
    bool inRhs = product.rhsLetters.contains(product.resultLetters[i]);
    return int(inRhs) - int(inLhs);
  }
  return 0;
}

/// Rows of the result should be runs of n; where that leaves a choice, weights, which can be packed, go to the right.
void orderOperands(Product &product) {
  int side = fastestSide(product);
  bool weightOnLeft = isWeight(product.lhs) && !isWeight(product.rhs);
  if (side > 0 || (side == 0 && !weightOnLeft))
    return;
  std::swap(product.lhs, product.rhs);
  std::swap(product.lhsLetters, product.rhsLetters);
}

std::string lettersOf(const Product &product, bool inLhs, bool inRhs, bool inResult, StringRef order) {
  std::string letters;
  for (char letter : order)
    if (StringRef(product.lhsLetters).contains(letter) == inLhs &&
        StringRef(product.rhsLetters).contains(letter) == inRhs &&
        StringRef(product.resultLetters).contains(letter) == inResult)
      letters.push_back(letter);
  return letters;
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

/// Transposes operands whose summed dims lie in different orders, and as the last resort all three tensors.
void makeExpressible(OpBuilder &builder, Location loc, Product &product) {
  auto isExpressible = [&](const Product &candidate) { return rank::stridesOf(shapeOf(candidate, {})).has_value(); };
  if (isExpressible(product))
    return;
  std::string batch = lettersOf(product, true, true, true, product.resultLetters);
  std::string m = lettersOf(product, true, false, true, product.resultLetters);
  std::string n = lettersOf(product, false, true, true, product.resultLetters);
  std::string k = lettersOf(product, true, true, false, product.rhsLetters);
  Product candidate = product;
  candidate.lhsLetters = batch + m + k;
  candidate.lhs = transposed(builder, loc, product.lhs, product.lhsLetters, candidate.lhsLetters);
  if (!isExpressible(candidate)) {
    candidate.rhsLetters = batch + k + n;
    candidate.rhs = transposed(builder, loc, product.rhs, product.rhsLetters, candidate.rhsLetters);
  }
  if (!isExpressible(candidate)) {
    std::string ordered = batch + m + n;
    SmallVector<int64_t> shape;
    for (char letter : ordered)
      shape.push_back(typeOf(product.result).getDimSize(product.resultLetters.find(letter)));
    auto contract = ContractOp::create(builder, loc, typeOf(product.result).clone(shape),
                                       candidate.lhsLetters + "," + candidate.rhsLetters + "->" + ordered,
                                       candidate.lhs, candidate.rhs);
    Value result = transposed(builder, loc, contract.getResult(), ordered, product.resultLetters);
    product.result.replaceAllUsesWith(result);
    candidate.resultLetters = ordered;
    candidate.result = contract.getResult();
  }
  product = candidate;
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
  orderOperands(product);
  OpBuilder builder(product.result.getDefiningOp());
  makeExpressible(builder, contract.getLoc(), product);

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
