#include "lib/Conversion/FroeToElements/FindCuts.h"

#include "lib/Conversion/FroeToElements/Lower.h"

#include <set>

using namespace mlir;

namespace froe {
namespace {

constexpr size_t kMaxCuts = 6;

/// Follows the innermost index of a loop through the ops that it passes.
class CutFinder {
public:
  explicit CutFinder(int64_t size) : size(size) {}

  /// The loop's index plus `offset` is the index of dim `dim` of `tensor`.
  void visit(Value tensor, int64_t dim, int64_t offset) {
    Operation *op = tensor.getDefiningOp();
    if (!op || !visited.insert({tensor.getAsOpaquePointer(), dim, offset}).second || visited.size() > 1000)
      return;
    if (op->hasTrait<OpTrait::Elementwise>()) {
      for (Value operand : op->getOperands())
        visit(operand, dim, offset);
      return;
    }
    llvm::TypeSwitch<Operation *>(op).Case<BroadcastOp, TransposeOp, SliceOp, ConcatOp, PadOp>(
        [&](auto layout) { pass(layout, dim, offset); });
  }

  std::set<int64_t> cuts;

private:
  void pass(BroadcastOp op, int64_t dim, int64_t offset) {
    for (auto [i, to] : llvm::enumerate(op.getDims()))
      if (to == dim && shapeOf(op.getOperand())[i] != 1)
        visit(op.getOperand(), i, offset);
  }
  void pass(TransposeOp op, int64_t dim, int64_t offset) { visit(op.getOperand(), op.getPermutation()[dim], offset); }
  void pass(SliceOp op, int64_t dim, int64_t offset) {
    if (op.getStrides()[dim] == 1)
      visit(op.getOperand(), dim, offset + op.getStarts()[dim]);
  }
  void pass(ConcatOp op, int64_t dim, int64_t offset) {
    int64_t start = 0;
    for (Value operand : op.getOperands()) {
      bool isCut = op.getDim() == dim;
      visit(operand, dim, isCut ? offset - start : offset);
      if (isCut)
        cut((start += shapeOf(operand)[dim]) - offset);
    }
  }
  void pass(PadOp op, int64_t dim, int64_t offset) {
    int64_t low = op.getLow()[dim];
    cut(low - offset);
    cut(low + shapeOf(op.getOperand())[dim] - offset);
    visit(op.getOperand(), dim, offset - low);
  }
  void cut(int64_t place) {
    if (place > 0 && place < size)
      cuts.insert(place);
  }

  int64_t size;
  std::set<std::tuple<const void *, int64_t, int64_t>> visited;
};

} // namespace

SmallVector<int64_t> findCuts(ValueRange tensors, const KernelDomain &domain) {
  if (domain.shape().empty())
    return {};
  CutFinder finder(domain.shape().back());
  for (Value tensor : tensors)
    if (shapeOf(tensor).size() == domain.shape().size())
      finder.visit(tensor, shapeOf(tensor).size() - 1, 0);
  if (finder.cuts.size() > kMaxCuts)
    return {};
  return SmallVector<int64_t>(finder.cuts.begin(), finder.cuts.end());
}

} // namespace froe
