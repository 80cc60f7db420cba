// Transposes and merges of dims around a contraction become letters of its subscripts:
//
//   contract "sh,ho->so" x, transpose(w)         ->  contract "sh,oh->so" x, w
//   transpose(contract "bqd,bkd->bqk" q, k)      ->  contract "bqd,bkd->bkq" q, k
//   contract "Bqd,Bkd->Bqk" merge(q), merge(k)   ->  merge(contract "bhqd,bhkd->bhqk" q, k)
//   split(contract "sh,ho->so" x, w)             ->  contract "sh,hab->sab" x, split(w)
#include "lib/Transforms/Simplify/Patterns.h"

using namespace mlir;

namespace froe {
namespace {

std::string subscripts(StringRef lhs, StringRef rhs, StringRef result) {
  return (lhs + "," + rhs + "->" + result).str();
}

struct FoldOperandTransposes : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Where `operand` is a transpose: its operand, and the letters in that order.
  static bool fold(Value &operand, std::string &letters) {
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (!transpose)
      return false;
    std::string before = letters;
    for (auto [index, dim] : llvm::enumerate(transpose.getPermutation()))
      letters[dim] = before[index];
    operand = transpose.getOperand();
    return true;
  }

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    Value lhs = op.getLhs(), rhs = op.getRhs();
    std::string lhsLetters = op.getLhsLetters().str(), rhsLetters = op.getRhsLetters().str();
    bool lhsFolded = fold(lhs, lhsLetters), rhsFolded = fold(rhs, rhsLetters);
    if (!lhsFolded && !rhsFolded)
      return failure();
    rewriter.replaceOpWithNewOp<ContractOp>(op, op.getType(), subscripts(lhsLetters, rhsLetters, op.getResultLetters()),
                                            lhs, rhs);
    return success();
  }
};

struct FoldResultTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto contract = op.getOperand().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse())
      return failure();
    std::string letters;
    for (int64_t dim : op.getPermutation())
      letters += contract.getResultLetters()[dim];
    rewriter.replaceOpWithNewOp<ContractOp>(op, op.getType(),
                                            subscripts(contract.getLhsLetters(), contract.getRhsLetters(), letters),
                                            contract.getLhs(), contract.getRhs());
    return success();
  }
};

/// Letters of a contraction that become several, each a part of the dim, the major one first.
struct Expansion {
  explicit Expansion(StringRef used) {
    for (char letter : StringRef("abcdefghijklmnopqrstuvwxyz"))
      if (!used.contains(letter))
        unused += letter;
  }

  std::string unused;
  std::map<char, std::pair<std::string, SmallVector<int64_t>>> letters;

  bool split(char letter, ArrayRef<int64_t> sizes) {
    if (unused.size() < sizes.size())
      return false;
    letters[letter] = {unused.substr(0, sizes.size()), SmallVector<int64_t>(sizes)};
    unused.erase(0, sizes.size());
    return true;
  }

  std::string apply(StringRef old) const {
    std::string all;
    for (char letter : old)
      all += letters.contains(letter) ? letters.at(letter).first : std::string(1, letter);
    return all;
  }
  SmallVector<int64_t> apply(StringRef old, ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> all;
    for (auto [letter, size] : llvm::zip(old, shape))
      letters.contains(letter) ? all.append(letters.at(letter).second) : all.push_back(size);
    return all;
  }

  /// The contraction with split letters: operands are reshaped, the result has the split shape.
  Value apply(ContractOp op, PatternRewriter &rewriter) const {
    auto reshape = [&](Value value, StringRef old) {
      return reshapeTo(rewriter, op.getLoc(), value, apply(old, cast<RankedTensorType>(value.getType()).getShape()));
    };
    Value lhs = reshape(op.getLhs(), op.getLhsLetters()), rhs = reshape(op.getRhs(), op.getRhsLetters());
    auto type = op.getType().clone(apply(op.getResultLetters(), op.getType().getShape()));
    return ContractOp::create(
        rewriter, op.getLoc(), type,
        subscripts(apply(op.getLhsLetters()), apply(op.getRhsLetters()), apply(op.getResultLetters())), lhs, rhs);
  }
};

/// A merged operand comes apart: its dims become letters of the product, and the merge moves behind it.
struct ExpandMergedOperand : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  static std::optional<Expansion> expansion(ContractOp op, ReshapeOp merge, StringRef letters) {
    ArrayRef<int64_t> shape = merge.getOperand().getType().getShape();
    auto groups = mergedDims(shape, merge.getType().getShape());
    if (!groups)
      return std::nullopt;
    Expansion expansion(op.getSubscripts());
    bool isProjection = op.getLhs().getDefiningOp<WeightOp>() || op.getRhs().getDefiningOp<WeightOp>();
    for (auto [letter, group] : llvm::zip(letters, *groups)) {
      SmallVector<int64_t> sizes;
      // Dims of size 1 are dims of the model where this is a projection; elsewhere some came with repeated heads.
      for (int64_t dim : group)
        if (shape[dim] != 1 || isProjection)
          sizes.push_back(shape[dim]);
      // A letter that is summed over stays merged: splitting it wins nothing.
      if (sizes.size() > 1 && op.getResultLetters().contains(letter) && !expansion.split(letter, sizes))
        return std::nullopt;
    }
    return expansion.letters.empty() ? std::nullopt : std::optional(expansion);
  }

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    for (auto [operand, letters] :
         {std::pair(op.getLhs(), op.getLhsLetters()), std::pair(op.getRhs(), op.getRhsLetters())}) {
      auto merge = operand.getDefiningOp<ReshapeOp>();
      std::optional<Expansion> expanded = merge ? expansion(op, merge, letters) : std::nullopt;
      if (!expanded)
        continue;
      rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), expanded->apply(op, rewriter));
      return success();
    }
    return failure();
  }
};

/// split(contract(x, weight)), where the split letter is the weight's: the weight itself takes the split shape.
///   reshape(contract "sh,ho->so" x, w) to [s, 12, 64]  ->  contract "sh,hab->sab" x, reshape(w)
struct SplitContractResult : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The parts of each split letter: result dims of the reshape other than those of size 1.
  static std::optional<Expansion> expansion(ContractOp contract, ReshapeOp split) {
    ArrayRef<int64_t> shape = split.getType().getShape();
    auto groups = mergedDims(shape, contract.getType().getShape());
    if (!groups)
      return std::nullopt;
    Expansion expansion(contract.getSubscripts());
    for (auto [letter, group] : llvm::zip(contract.getResultLetters(), *groups)) {
      SmallVector<int64_t> sizes;
      for (int64_t dim : group)
        if (shape[dim] != 1)
          sizes.push_back(shape[dim]);
      if (sizes.size() <= 1)
        continue;
      if (contract.getLhsLetters().contains(letter) || !expansion.split(letter, sizes))
        return std::nullopt;
    }
    return expansion.letters.empty() ? std::nullopt : std::optional(expansion);
  }

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto contract = op.getOperand().getDefiningOp<ContractOp>();
    if (!contract || !contract->hasOneUse() || !contract.getRhs().getDefiningOp<WeightOp>())
      return failure();
    std::optional<Expansion> split = expansion(contract, op);
    if (!split)
      return failure();
    Value product = split->apply(contract, rewriter);
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), product, op.getType().getShape()));
    return success();
  }
};

/// op(transpose(x), constants) -> transpose(op(x, constants)): on its way to the product that will take it up.
struct SinkTranspose : RewritePattern {
  SinkTranspose(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    TransposeOp transpose;
    for (Value operand : op->getOperands()) {
      auto found = operand.getDefiningOp<TransposeOp>();
      bool differs = found && transpose && found.getPermutation() != transpose.getPermutation();
      auto constant = operand.getDefiningOp<ConstantOp>();
      if (differs || (!found && !(constant && constant.isSplat())))
        return failure();
      transpose = found ? found : transpose;
    }
    if (!transpose)
      return failure();
    ArrayRef<int64_t> shape = transpose.getOperand().getType().getShape();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getDefiningOp<TransposeOp>() ? operand.getDefiningOp()->getOperand(0)
                                                              : resized(rewriter, operand, shape));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    OperationState state(op->getLoc(), op->getName(), operands, type.clone(shape), op->getAttrs());
    rewriter.replaceOpWithNewOp<TransposeOp>(op, type, rewriter.create(state)->getResult(0),
                                             transpose.getPermutation());
    return success();
  }

  static Value resized(PatternRewriter &rewriter, Value splat, ArrayRef<int64_t> shape) {
    auto elements = cast<DenseElementsAttr>(splat.getDefiningOp<ConstantOp>().getValue());
    auto type = cast<RankedTensorType>(splat.getType()).clone(shape);
    return ConstantOp::create(rewriter, splat.getLoc(), type, elements.resizeSplat(type));
  }
};

/// slice(transpose(x)) -> transpose(slice(x))
struct SinkTransposeBelowSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
    if (!transpose)
      return failure();
    size_t rank = op.getStarts().size();
    SmallVector<int64_t> shape(rank), starts(rank), strides(rank);
    for (auto [place, dim] : llvm::enumerate(transpose.getPermutation())) {
      shape[dim] = op.getType().getDimSize(place);
      starts[dim] = op.getStarts()[place];
      strides[dim] = op.getStrides()[place];
    }
    Value slice =
        SliceOp::create(rewriter, op.getLoc(), op.getType().clone(shape), transpose.getOperand(), starts, strides);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), slice, transpose.getPermutation());
    return success();
  }
};

/// transpose(contract(x, w) + bias), where the transpose moves only letters of x and the bias spans others: the product
/// is written in that order at once. (Not where the weight's letters move: rows of the result would fall apart.)
struct TransposeBiasedProduct : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto add = op.getOperand().getDefiningOp<AddOp>();
    if (!add || !add->hasOneUse())
      return failure();
    bool productFirst = add.getLhs().getDefiningOp<ContractOp>() != nullptr;
    auto contract = (productFirst ? add.getLhs() : add.getRhs()).getDefiningOp<ContractOp>();
    auto bias = (productFirst ? add.getRhs() : add.getLhs()).getDefiningOp<BroadcastOp>();
    if (!contract || !contract->hasOneUse() || !bias)
      return failure();
    std::string letters;
    for (auto [place, dim] : llvm::enumerate(op.getPermutation())) {
      letters += contract.getResultLetters()[dim];
      bool moves = static_cast<int64_t>(place) != dim;
      if (moves && (contract.getRhsLetters().contains(letters.back()) || llvm::is_contained(bias.getDims(), dim)))
        return failure();
    }
    Value product = ContractOp::create(rewriter, contract.getLoc(), op.getType(),
                                       subscripts(contract.getLhsLetters(), contract.getRhsLetters(), letters),
                                       contract.getLhs(), contract.getRhs());
    Value repeated = BroadcastOp::create(rewriter, bias.getLoc(), op.getType(), bias.getOperand(), bias.getDims());
    rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), product, repeated);
    return success();
  }
};

} // namespace

void populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldOperandTransposes, FoldResultTranspose, ExpandMergedOperand, SplitContractResult, SinkTranspose,
               SinkTransposeBelowSlice, TransposeBiasedProduct>(patterns.getContext());
}

} // namespace froe
