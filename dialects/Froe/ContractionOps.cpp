#include "dialects/Froe/Froe.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace froe {

// Subscripts are `lhs,rhs->result`.
StringRef ContractOp::getLhsLetters() { return getSubscripts().split(',').first; }
StringRef ContractOp::getRhsLetters() { return getSubscripts().split(',').second.split("->").first; }
StringRef ContractOp::getResultLetters() { return getSubscripts().split("->").second; }

LogicalResult verifySubscripts(Operation *op, ArrayRef<StringRef> letters, ArrayRef<RankedTensorType> types) {
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [tensor, type] : llvm::zip(letters, types)) {
    if (!llvm::all_of(tensor, [](char c) { return llvm::isAlpha(c); }))
      return op->emitOpError("expected letters in the subscripts, found '") << tensor << "'";
    if (static_cast<int64_t>(tensor.size()) != type.getRank())
      return op->emitOpError("expected ") << type.getRank() << " letters for " << type << ", found '" << tensor << "'";
    for (auto [index, letter] : llvm::enumerate(tensor)) {
      if (tensor.take_front(index).contains(letter))
        return op->emitOpError("letter '") << letter << "' stands twice in '" << tensor << "'";
      int64_t size = type.getDimSize(index);
      if (int64_t known = sizes.try_emplace(letter, size).first->second; known != size)
        return op->emitOpError("letter '") << letter << "' has size " << known << " and size " << size;
    }
  }
  for (char letter : letters[2])
    if (!letters[0].contains(letter) && !letters[1].contains(letter))
      return op->emitOpError("letter '") << letter << "' of the result stands in no operand";
  for (char letter : (letters[0] + letters[1]).str())
    if (!letters[2].contains(letter) && !(letters[0].contains(letter) && letters[1].contains(letter)))
      return op->emitOpError("letter '") << letter << "' is summed over, but stands in one operand only";
  return success();
}

LogicalResult verifyProductType(Operation *op, RankedTensorType operand, RankedTensorType result) {
  Type factor = operand.getElementType(), sum = result.getElementType();
  bool isWide = isa<FloatType>(factor) && factor.getIntOrFloatBitWidth() < 32 && sum.isF32();
  if (factor != sum && !isWide)
    return op->emitOpError("expected a result of ")
           << factor << (isa<FloatType>(factor) ? ", or of f32 if that is wider" : "") << ", found " << result;
  return success();
}

LogicalResult ContractOp::verify() {
  if (getSubscripts().count(',') != 1 || getSubscripts().count("->") != 1)
    return emitOpError("expected subscripts such as \"mk,kn->mn\", found '") << getSubscripts() << "'";
  if (failed(verifyProductType(*this, getLhs().getType(), getResult().getType())))
    return failure();
  return verifySubscripts(*this, {getLhsLetters(), getRhsLetters(), getResultLetters()},
                          {getLhs().getType(), getRhs().getType(), getResult().getType()});
}

} // namespace froe
