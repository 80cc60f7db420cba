#include "dialects/Rank/AttentionShape.h"

#include "dialects/Rank/MatmulShape.h"

using namespace mlir;

namespace froe::rank {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LetteredProduct lettered(MatmulOp op) {
  Subscripts letters = splitSubscripts(op.getSubscripts());
  return {{letters.lhs.str(), typeOf(op.getLhs())},
          {letters.rhs.str(), typeOf(op.getRhs())},
          {letters.result.str(), typeOf(op.getResult())}};
}

class ShapeReader {
public:
  explicit ShapeReader(const Attention &attention) : attention(attention) {}

  std::optional<AttentionShape> read() {
    MatmulOp first = attention.scores, second = attention.values;
    bool areLeft = second.getLhs().getDefiningOp() == attention.probabilities.last();
    tensors = AttentionTensors::of(lettered(first), lettered(second), areLeft);
    if (!tensors || !tensors->fitKernel() || !readPosts())
      return std::nullopt;
    shape.query = tensors->keyIsRight ? first.getLhs() : first.getRhs();
    shape.key = tensors->keyIsRight ? first.getRhs() : first.getLhs();
    shape.value = areLeft ? second.getRhs() : second.getLhs();
    shape.element = tensors->query.type.getElementType();
    StringRef letters = tensors->scores.letters;
    for (char letter : letters.drop_back())
      (tensors->key.has(letter) || tensors->value.has(letter) ? shape.batch : shape.rows).push_back(dimOf(letter));
    shape.keys = dimOf(tensors->keyLetter);
    shape.head = tensors->query.sizeOf(tensors->headLetter);
    shape.valueHead = tensors->value.sizeOf(AttentionTensors::kValueLetter);
    return shape;
  }

private:
  bool readPosts() {
    size_t next = 0;
    for (auto post : MatmulOp(attention.scores).getPosts().getAsRange<PostAttr>()) {
      if (!llvm::is_contained({PostKind::Scale, PostKind::Add, PostKind::Mul}, post.getKind()))
        return false;
      shape.posts.push_back(post);
      if (post.getKind() == PostKind::Scale)
        continue;
      Value operand = MatmulOp(attention.scores).getPostOperands()[next++];
      shape.postOperands.push_back(operand);
      postTensors.push_back({post.getLetters().str(), typeOf(operand)});
    }
    return true;
  }

  AttentionDim dimOf(char letter) const {
    AttentionDim dim{tensors->scores.sizeOf(letter),  tensors->query.strideOf(letter),  tensors->key.strideOf(letter),
                     tensors->value.strideOf(letter), tensors->result.strideOf(letter), {}};
    for (const LetteredTensor &post : postTensors)
      dim.posts.push_back(post.strideOf(letter));
    return dim;
  }

  const Attention &attention;
  std::optional<AttentionTensors> tensors;
  AttentionShape shape;
  SmallVector<LetteredTensor> postTensors;
};

int64_t product(ArrayRef<AttentionDim> dims) {
  int64_t count = 1;
  for (const AttentionDim &dim : dims)
    count *= dim.size;
  return count;
}

} // namespace

std::optional<Attention> Attention::endingIn(MatmulOp values) {
  if (!values.getPosts().empty())
    return std::nullopt;
  for (Value operand : {values.getLhs(), values.getRhs()})
    if (std::optional<Probabilities> probabilities = Probabilities::of(operand))
      if (auto scores = probabilities->softmax.getOperand().getDefiningOp<MatmulOp>(); scores && scores->hasOneUse())
        return Attention{scores, *probabilities, values};
  return std::nullopt;
}

SmallVector<Operation *> Attention::operations() const {
  SmallVector<Operation *> all{scores, probabilities.softmax};
  if (SelectOp select = probabilities.select)
    all.append({probabilities.isNan, select->getOperand(1).getDefiningOp(), select});
  all.push_back(values);
  return all;
}

int64_t AttentionShape::batchCount() const { return product(batch); }
int64_t AttentionShape::rowCount() const { return product(rows); }

std::optional<AttentionShape> AttentionShape::of(const Attention &attention) { return ShapeReader(attention).read(); }

} // namespace froe::rank
