#include "dialects/Froe/AttentionParts.h"

#include "dialects/Froe/Constants.h"

#include <algorithm>

using namespace mlir;

namespace froe {
namespace {

constexpr int64_t kAlignment = 16; // bytes
/// Of a row of query, key, value: a thread holds parts of it in registers.
constexpr int64_t kLongestRow = 128;

bool isZero(Value value) {
  std::optional<APFloat> number = numberOf(value);
  return number && number->isZero();
}

/// The letters of the second product are those of the first where they mean the same dim of the probabilities.
std::string renamed(StringRef letters, StringRef probabilities, StringRef scores) {
  std::string result;
  for (char letter : letters) {
    size_t dim = probabilities.find(letter);
    result.push_back(dim == StringRef::npos ? AttentionTensors::kValueLetter : scores[dim]);
  }
  return result;
}

/// The letter that is in one tensor alone; 0 where there is not exactly one.
char onlyIn(const LetteredTensor &tensor, const LetteredTensor &other) {
  char found = 0;
  for (char letter : tensor.letters)
    if (!other.has(letter)) {
      if (found)
        return 0;
      found = letter;
    }
  return found;
}

/// Rows of the result come from one of the value's.
bool haveRows(const AttentionTensors &all) {
  bool isAttention = all.value.has(all.keyLetter) && !all.result.has(all.keyLetter) &&
                     all.result.has(AttentionTensors::kValueLetter) &&
                     all.result.letters.size() == all.scores.letters.size();
  bool sameKeys = llvm::all_of(all.scores.letters, [&](char letter) { // a row's values are those of its keys
    return !all.value.has(letter) || all.key.has(letter);
  });
  return isAttention && sameKeys && all.query.letters.back() == all.headLetter &&
         all.key.letters.back() == all.headLetter && all.value.letters.back() == AttentionTensors::kValueLetter &&
         all.result.letters.back() == AttentionTensors::kValueLetter;
}

} // namespace

std::optional<Probabilities> Probabilities::of(Value operand) {
  Probabilities found;
  if (auto select = operand.getDefiningOp<SelectOp>()) {
    auto isNan = select->getOperand(0).getDefiningOp<IsNanOp>();
    if (!isNan || isNan->getOperand(0) != select->getOperand(2) || !isZero(select->getOperand(1)) ||
        !isNan->hasOneUse() || !select->hasOneUse())
      return std::nullopt;
    found.isNan = isNan;
    found.select = select;
    operand = select->getOperand(2);
  }
  found.softmax = operand.getDefiningOp<SoftmaxOp>();
  if (!found.softmax || llvm::range_size(operand.getUses()) != (found.select ? 2 : 1) ||
      int64_t(found.softmax.getDim()) != cast<RankedTensorType>(operand.getType()).getRank() - 1)
    return std::nullopt;
  return found;
}

Operation *Probabilities::last() const {
  return select ? SelectOp(select).getOperation() : SoftmaxOp(softmax).getOperation();
}

int64_t LetteredTensor::strideOf(char letter) const {
  size_t dim = letters.find(letter);
  if (dim == std::string::npos || type.getDimSize(dim) == 1)
    return 0;
  int64_t stride = 1;
  for (int64_t i = dim + 1; i < type.getRank(); ++i)
    stride *= type.getDimSize(i);
  return stride;
}

std::optional<AttentionTensors> AttentionTensors::of(const LetteredProduct &scores, const LetteredProduct &values,
                                                     bool probabilitiesAreLeft) {
  AttentionTensors all;
  all.scores = scores.result;
  all.keyLetter = all.scores.letters.empty() ? 0 : all.scores.letters.back();
  all.keyIsRight = scores.rhs.has(all.keyLetter);
  if (all.keyIsRight == scores.lhs.has(all.keyLetter)) // in both, or in neither
    return std::nullopt;
  all.query = all.keyIsRight ? scores.lhs : scores.rhs;
  all.key = all.keyIsRight ? scores.rhs : scores.lhs;
  const LetteredTensor &probabilities = probabilitiesAreLeft ? values.lhs : values.rhs,
                       &value = probabilitiesAreLeft ? values.rhs : values.lhs;
  all.value = {renamed(value.letters, probabilities.letters, all.scores.letters), value.type};
  all.result = {renamed(values.result.letters, probabilities.letters, all.scores.letters), values.result.type};
  all.headLetter = onlyIn(all.query, all.scores);
  bool isSummed =
      all.headLetter && onlyIn(all.key, all.scores) == all.headLetter && onlyIn(all.value, all.scores) == kValueLetter;
  return isSummed && haveRows(all) ? std::optional(std::move(all)) : std::nullopt;
}

bool AttentionTensors::fitKernel() const {
  Type element = query.type.getElementType();
  bool isHalf = element.isF16() || element.isBF16();
  bool sameType = llvm::all_of(ArrayRef{key.type, value.type, result.type},
                               [&](RankedTensorType type) { return type.getElementType() == element; });
  if (!sameType || !(isHalf || element.isF32()))
    return false;
  auto fits = [&](int64_t elements) { return elements * (element.getIntOrFloatBitWidth() / 8) % kAlignment == 0; };
  auto strideFits = [&](const LetteredTensor &tensor, char letter) { return fits(tensor.strideOf(letter)); };
  bool isAligned = llvm::all_of(scores.letters, [&](char letter) {
    return strideFits(query, letter) && strideFits(key, letter) && strideFits(value, letter) &&
           strideFits(result, letter);
  });
  int64_t head = query.sizeOf(headLetter), valueHead = value.sizeOf(kValueLetter);
  // By tensor cores 16 elements of a row at a time, and 8 of the result's.
  bool isMultiple = head % (isHalf ? 16 : 1) == 0 && valueHead % 8 == 0;
  return isAligned && fits(head) && fits(valueHead) && isMultiple && std::max(head, valueHead) <= kLongestRow &&
         std::min(head, valueHead) > 0 && scores.type.getNumElements() > 0;
}

} // namespace froe
