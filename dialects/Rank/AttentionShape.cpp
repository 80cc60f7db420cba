#include "dialects/Rank/AttentionShape.h"

#include "dialects/Froe/Constants.h"
#include "dialects/Rank/MatmulShape.h"

using namespace mlir;

namespace froe::rank {
namespace {

constexpr int64_t kAlignment = 16; // bytes
/// Of a row of query, key, value: a thread holds parts of it in registers.
constexpr int64_t kLongestRow = 128;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isZero(Value value) {
  std::optional<APFloat> number = numberOf(value);
  return number && number->isZero();
}

/// A tensor with a letter for each of its dims.
struct Lettered {
  std::string letters;
  RankedTensorType type;

  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
  int64_t sizeOf(char letter) const { return type.getDimSize(letters.find(letter)); }
  int64_t strideOf(char letter) const {
    size_t dim = letters.find(letter);
    if (dim == std::string::npos || type.getDimSize(dim) == 1)
      return 0;
    int64_t stride = 1;
    for (int64_t i = dim + 1; i < type.getRank(); ++i)
      stride *= type.getDimSize(i);
    return stride;
  }
};

/// The letters of the second product are those of the first where they mean the same dim of the probabilities.
std::string renamed(StringRef letters, StringRef probabilities, StringRef scores, char other) {
  std::string result;
  for (char letter : letters) {
    size_t dim = probabilities.find(letter);
    result.push_back(dim == StringRef::npos ? other : scores[dim]);
  }
  return result;
}

/// The letter that is in one tensor alone; 0 where there is not exactly one.
char onlyIn(const Lettered &tensor, const Lettered &other) {
  char found = 0;
  for (char letter : tensor.letters)
    if (!other.has(letter)) {
      if (found)
        return 0;
      found = letter;
    }
  return found;
}

class ShapeReader {
public:
  explicit ShapeReader(const Attention &attention) : attention(attention) {}

  std::optional<AttentionShape> read() {
    if (!findTensors() || !findLetters() || !readPosts())
      return std::nullopt;
    for (char letter : scores.letters.substr(0, scores.letters.size() - 1))
      (key.has(letter) || value.has(letter) ? shape.batch : shape.rows).push_back(dimOf(letter));
    shape.keys = dimOf(keyLetter);
    shape.head = query.sizeOf(headLetter);
    shape.valueHead = value.sizeOf(kValueLetter);
    return isAligned() && isComputable() ? std::optional(shape) : std::nullopt;
  }

private:
  static constexpr char kValueLetter = '*';

  bool findTensors() {
    Attention parts = attention;
    Subscripts first = splitSubscripts(parts.scores.getSubscripts()),
               second = splitSubscripts(parts.values.getSubscripts());
    scores = {first.result.str(), typeOf(parts.scores.getResult())};
    Lettered left{first.lhs.str(), typeOf(parts.scores.getLhs())},
        right{first.rhs.str(), typeOf(parts.scores.getRhs())};
    keyLetter = scores.letters.back();
    bool keyIsRight = right.has(keyLetter) && !left.has(keyLetter);
    if (!keyIsRight && !(left.has(keyLetter) && !right.has(keyLetter)))
      return false;
    query = keyIsRight ? left : right;
    key = keyIsRight ? right : left;
    shape.query = keyIsRight ? parts.scores.getLhs() : parts.scores.getRhs();
    shape.key = keyIsRight ? parts.scores.getRhs() : parts.scores.getLhs();
    Value probabilities = parts.select ? parts.select.getResult() : parts.softmax.getResult();
    bool valueIsRight = parts.values.getLhs() == probabilities;
    StringRef names = valueIsRight ? second.lhs : second.rhs, others = valueIsRight ? second.rhs : second.lhs;
    shape.value = valueIsRight ? parts.values.getRhs() : parts.values.getLhs();
    value = {renamed(others, names, scores.letters, kValueLetter), typeOf(shape.value)};
    result = {renamed(second.result, names, scores.letters, kValueLetter), typeOf(parts.values.getResult())};
    shape.element = query.type.getElementType();
    return llvm::all_of(ArrayRef{key.type, value.type, result.type},
                        [&](RankedTensorType type) { return type.getElementType() == shape.element; });
  }

  /// One dim is summed in the first product, the keys alone in the second; rows of the result come from one of the
  /// value's.
  bool findLetters() {
    headLetter = onlyIn(query, scores);
    bool isSummed = headLetter && onlyIn(key, scores) == headLetter && onlyIn(value, scores) == kValueLetter;
    bool isAttention = isSummed && value.has(keyLetter) && !result.has(keyLetter) && result.has(kValueLetter) &&
                       result.letters.size() == scores.letters.size();
    if (!isAttention)
      return false;
    for (char letter : scores.letters) // a row's values are those of its keys
      if (value.has(letter) && !key.has(letter))
        return false;
    return query.letters.back() == headLetter && key.letters.back() == headLetter &&
           value.letters.back() == kValueLetter && result.letters.back() == kValueLetter;
  }

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
    AttentionDim dim{scores.sizeOf(letter),  query.strideOf(letter),  key.strideOf(letter),
                     value.strideOf(letter), result.strideOf(letter), {}};
    for (const Lettered &post : postTensors)
      dim.posts.push_back(post.strideOf(letter));
    return dim;
  }

  bool isAligned() const {
    int64_t bytes = shape.element.getIntOrFloatBitWidth() / 8;
    auto fits = [&](int64_t elements) { return elements * bytes % kAlignment == 0; };
    auto dimFits = [&](const AttentionDim &dim) {
      return fits(dim.query) && fits(dim.key) && fits(dim.value) && fits(dim.result);
    };
    return fits(shape.head) && fits(shape.valueHead) && llvm::all_of(shape.batch, dimFits) &&
           llvm::all_of(shape.rows, dimFits) && dimFits(shape.keys);
  }

  /// By tensor cores 16 elements of a row at a time, and 8 of the result's.
  bool isComputable() const {
    bool isHalf = shape.element.isF16() || shape.element.isBF16();
    bool isMultiple = shape.head % (isHalf ? 16 : 1) == 0 && shape.valueHead % 8 == 0;
    return (isHalf || shape.element.isF32()) && isMultiple && std::max(shape.head, shape.valueHead) <= kLongestRow &&
           shape.head > 0 && shape.valueHead > 0 && shape.keys.size > 0 && shape.batchCount() * shape.rowCount() > 0;
  }

  const Attention &attention;
  AttentionShape shape;
  Lettered query, key, value, scores, result;
  SmallVector<Lettered> postTensors;
  char keyLetter = 0, headLetter = 0;
};

int64_t product(ArrayRef<AttentionDim> dims) {
  int64_t count = 1;
  for (const AttentionDim &dim : dims)
    count *= dim.size;
  return count;
}

/// The probabilities behind one operand of a product, as softmax or as what makes zeros of its NaN.
bool findProbabilities(Value operand, Attention &found) {
  if (auto select = operand.getDefiningOp<SelectOp>()) {
    auto isNan = select->getOperand(0).getDefiningOp<IsNanOp>();
    if (!isNan || isNan->getOperand(0) != select->getOperand(2) || !isZero(select->getOperand(1)) ||
        !isNan->hasOneUse() || !select->hasOneUse())
      return false;
    found.isNan = isNan;
    found.select = select;
    operand = select->getOperand(2);
  }
  found.softmax = operand.getDefiningOp<SoftmaxOp>();
  if (!found.softmax || llvm::range_size(operand.getUses()) != (found.select ? 2 : 1))
    return false;
  found.scores = found.softmax.getOperand().getDefiningOp<MatmulOp>();
  return found.scores && found.scores->hasOneUse() &&
         int64_t(found.softmax.getDim()) == typeOf(found.softmax.getResult()).getRank() - 1;
}

} // namespace

std::optional<Attention> Attention::endingIn(MatmulOp values) {
  if (!values.getPosts().empty())
    return std::nullopt;
  for (Value operand : {values.getLhs(), values.getRhs()}) {
    Attention found;
    found.values = values;
    if (findProbabilities(operand, found))
      return found;
  }
  return std::nullopt;
}

SmallVector<Operation *> Attention::operations() const {
  SmallVector<Operation *> all{scores, softmax};
  if (select)
    all.append({isNan, SelectOp(select)->getOperand(1).getDefiningOp(), select});
  all.push_back(values);
  return all;
}

int64_t AttentionShape::batchCount() const { return product(batch); }
int64_t AttentionShape::rowCount() const { return product(rows); }

std::optional<AttentionShape> AttentionShape::of(const Attention &attention) { return ShapeReader(attention).read(); }

} // namespace froe::rank
