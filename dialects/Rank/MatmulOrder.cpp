#include "dialects/Rank/MatmulOrder.h"

using namespace llvm;

namespace froe::rank {
namespace {

/// Whether the result's last dim of more than one element comes from the rhs alone (then -1: from the lhs alone; 0:
/// both).
int fastestSide(const MatmulShape &shape) {
  for (size_t i = shape.result.shape.size(); i-- > 0;) {
    if (shape.result.shape[i] == 1)
      continue;
    char letter = shape.result.letters[i];
    return int(shape.rhs.letters.contains(letter)) - int(shape.lhs.letters.contains(letter));
  }
  return 0;
}

bool shouldSwap(const MatmulShape &shape, bool lhsIsWeight, bool rhsIsWeight) {
  int side = fastestSide(shape);
  return side < 0 || (side == 0 && lhsIsWeight && !rhsIsWeight);
}

/// The letters that stand in the operands and the result as stated.
std::string lettersOf(const MatmulShape &shape, bool inLhs, bool inRhs, bool inResult, StringRef order) {
  std::string letters;
  for (char letter : order)
    if (shape.lhs.letters.contains(letter) == inLhs && shape.rhs.letters.contains(letter) == inRhs &&
        shape.result.letters.contains(letter) == inResult)
      letters.push_back(letter);
  return letters;
}

SmallVector<int64_t> sizesIn(const LetteredShape &tensor, StringRef letters) {
  SmallVector<int64_t> sizes;
  for (char letter : letters)
    sizes.push_back(tensor.shape[tensor.letters.find(letter)]);
  return sizes;
}

bool isExpressible(const MatmulShape &shape, const MatmulOrder &order) {
  SmallVector<int64_t> lhs = sizesIn(shape.lhs, order.lhs), rhs = sizesIn(shape.rhs, order.rhs),
                       result = sizesIn(shape.result, order.result);
  return stridesOf({{order.lhs, lhs}, {order.rhs, rhs}, {order.result, result}, {}}).has_value();
}

} // namespace

MatmulOrder orderOf(const MatmulShape &given, bool lhsIsWeight, bool rhsIsWeight) {
  MatmulShape shape = given;
  bool swapped = shouldSwap(given, lhsIsWeight, rhsIsWeight);
  if (swapped)
    std::swap(shape.lhs, shape.rhs);
  MatmulOrder order{swapped, shape.lhs.letters.str(), shape.rhs.letters.str(), shape.result.letters.str()};
  std::string batch = lettersOf(shape, true, true, true, order.result),
              m = lettersOf(shape, true, false, true, order.result),
              n = lettersOf(shape, false, true, true, order.result), k = lettersOf(shape, true, true, false, order.rhs);
  if (!isExpressible(shape, order))
    order.lhs = batch + m + k;
  if (!isExpressible(shape, order))
    order.rhs = batch + k + n;
  if (!isExpressible(shape, order))
    order.result = batch + m + n;
  return order;
}

} // namespace froe::rank
