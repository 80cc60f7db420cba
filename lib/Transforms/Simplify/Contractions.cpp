// Transposes and merges of dims around a contraction become letters of its subscripts:
//
//   contract "sh,ho->so" x, transpose(w)         ->  contract "sh,oh->so" x, w
//   transpose(contract "bqd,bkd->bqk" q, k)      ->  contract "bqd,bkd->bkq" q, k
//   contract "Bqd,Bkd->Bqk" merge(q), merge(k)   ->  merge(contract "bhqd,bhkd->bhqk" q, k)
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

/// Splits letters of a contraction into several, as the dims of `split` say for one of its operands.
struct ExpandMergedOperand : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  /// For each letter that becomes several: the new letters and their sizes.
  struct Expansion {
    std::map<char, std::pair<std::string, SmallVector<int64_t>>> letters;

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
  };

  static std::optional<Expansion> expansion(ContractOp op, ReshapeOp merge, StringRef letters) {
    auto groups = mergedDims(merge.getOperand().getType().getShape(), merge.getType().getShape());
    if (!groups)
      return std::nullopt;
    std::string unused;
    for (char letter = 'a'; letter <= 'z'; ++letter)
      if (!op.getSubscripts().contains(letter))
        unused += letter;
    Expansion expansion;
    for (auto [letter, group] : llvm::zip(letters, *groups)) {
      if (group.size() == 1)
        continue;
      if (!op.getResultLetters().contains(letter) || unused.size() < group.size())
        return std::nullopt;
      auto &[names, sizes] = expansion.letters[letter];
      for (int64_t dim : group) {
        names += unused.front();
        unused.erase(0, 1);
        sizes.push_back(merge.getOperand().getType().getDimSize(dim));
      }
    }
    return expansion.letters.empty() ? std::nullopt : std::optional(expansion);
  }

  static Value reshape(PatternRewriter &rewriter, Location loc, Value value, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    return ReshapeOp::create(rewriter, loc, type.clone(shape), value);
  }

  LogicalResult matchAndRewrite(ContractOp op, PatternRewriter &rewriter) const override {
    for (auto [operand, letters] :
         {std::pair(op.getLhs(), op.getLhsLetters()), std::pair(op.getRhs(), op.getRhsLetters())}) {
      auto merge = operand.getDefiningOp<ReshapeOp>();
      std::optional<Expansion> expanded = merge ? expansion(op, merge, letters) : std::nullopt;
      if (!expanded)
        continue;
      Value lhs = reshape(rewriter, op.getLoc(), op.getLhs(),
                          expanded->apply(op.getLhsLetters(), op.getLhs().getType().getShape()));
      Value rhs = reshape(rewriter, op.getLoc(), op.getRhs(),
                          expanded->apply(op.getRhsLetters(), op.getRhs().getType().getShape()));
      auto type = op.getType().clone(expanded->apply(op.getResultLetters(), op.getType().getShape()));
      Value result =
          ContractOp::create(rewriter, op.getLoc(), type,
                             subscripts(expanded->apply(op.getLhsLetters()), expanded->apply(op.getRhsLetters()),
                                        expanded->apply(op.getResultLetters())),
                             lhs, rhs);
      rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), result);
      return success();
    }
    return failure();
  }
};

/// split(contract(x, weight)), where the split letter is the weight's: the weight itself takes the split shape.
///   reshape(contract "sh,ho->so" x, w) to [s, 12, 64]  ->  contract "sh,hab->sab" x, reshape(w)
struct SplitContractResult : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto contract = op.getOperand().getDefiningOp<ContractOp>();
    auto groups = mergedDims(op.getType().getShape(), op.getOperand().getType().getShape());
    if (!contract || !contract->hasOneUse() || !groups || !contract.getRhs().getDefiningOp<WeightOp>())
      return failure();
    std::string lhs = contract.getLhsLetters().str(), rhs, result;
    SmallVector<int64_t> rhsShape;
    char next = 'a';
    std::map<char, std::string> names;
    for (auto [letter, group] : llvm::zip(contract.getResultLetters(), *groups)) {
      std::string name(1, letter);
      if (group.size() > 1) {
        if (lhs.find(letter) != std::string::npos)
          return failure();
        name.clear();
        for (size_t i = 0; i < group.size(); ++i) {
          while (contract.getSubscripts().contains(next) && next <= 'z')
            ++next;
          name += next++;
        }
      }
      names[letter] = name;
      result += name;
    }
    if (next > 'z' + 1)
      return failure();
    for (auto [letter, size] : llvm::zip(contract.getRhsLetters(), contract.getRhs().getType().getShape())) {
      size_t place = contract.getResultLetters().find(letter);
      rhs += place == StringRef::npos ? std::string(1, letter) : names[letter];
      if (place == StringRef::npos)
        rhsShape.push_back(size);
      else
        for (int64_t dim : (*groups)[place])
          rhsShape.push_back(op.getType().getDimSize(dim));
    }
    Value weight =
        ReshapeOp::create(rewriter, contract.getLoc(), contract.getRhs().getType().clone(rhsShape), contract.getRhs());
    auto type = cast<RankedTensorType>(op.getType());
    Value split =
        ContractOp::create(rewriter, contract.getLoc(), type, subscripts(lhs, rhs, result), contract.getLhs(), weight);
    rewriter.replaceOp(op, split);
    return success();
  }
};

} // namespace

void populateContractionPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldOperandTransposes, FoldResultTranspose, ExpandMergedOperand, SplitContractResult>(
      patterns.getContext());
}

} // namespace froe
