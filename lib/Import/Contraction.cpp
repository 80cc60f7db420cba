#include "Convolution.h"
#include "ElementTypes.h"
#include "Failure.h"
#include "Operators.h"

#include <fmt/format.h>
#include <set>

using namespace mlir;

namespace froe::importing {

namespace {

/// One operand of MatMul with the letters of its batch dims; dims of size 1 that only broadcast are dropped.
struct Batched {
  Tensor tensor;
  std::string letters;
};

Batched dropBroadcastDims(Emitter &emit, Tensor x, llvm::ArrayRef<int64_t> batch, int64_t matrixDims) {
  int64_t own = x->rank() - matrixDims;
  Batched result;
  Sizes kept;
  for (int64_t dim = 0; dim < own; ++dim) {
    int64_t position = batch.size() - own + dim;
    if (x->size(dim) == 1 && batch[position] != 1)
      continue;
    kept.push_back(x->size(dim));
    result.letters += static_cast<char>('a' + position);
  }
  llvm::append_range(kept, x->shape().drop_front(own));
  result.tensor = emit.reshape(x, kept);
  return result;
}

/// Batch dims broadcast; a vector on the left is a row, on the right a column, which the result lacks.
Tensors matMul(Node &node) {
  Emitter &emit = node.emit;
  Tensor a = node.operand(0), b = node.operand(1);
  if (a->rank() == 0 || b->rank() == 0)
    throw Invalid("an operand is a scalar");
  int64_t aMatrix = std::min<int64_t>(a->rank(), 2), bMatrix = std::min<int64_t>(b->rank(), 2);
  Sizes batch = broadcastShape(a->shape().drop_back(aMatrix), b->shape().drop_back(bMatrix));
  if (batch.size() > 20)
    throw Unsupported(fmt::format("a product of tensors with {} batch dims is not supported", batch.size()));
  Batched lhs = dropBroadcastDims(emit, a, batch, aMatrix), rhs = dropBroadcastDims(emit, b, batch, bMatrix);
  std::string result;
  for (size_t i = 0; i < batch.size(); ++i)
    result += static_cast<char>('a' + i);
  result += aMatrix == 2 ? "x" : "";
  result += bMatrix == 2 ? "z" : "";
  return {emit.contract(lhs.letters + (aMatrix == 2 ? "xy" : "y"), rhs.letters + (bMatrix == 2 ? "yz" : "y"), result,
                        lhs.tensor, rhs.tensor)};
}

/// alpha * A' B' + beta * C
Tensors gemm(Node &node) {
  Emitter &emit = node.emit;
  Tensor a = node.operand(0), b = node.operand(1), c = node.optional(2);
  if (a->rank() != 2 || b->rank() != 2)
    throw Invalid(
        fmt::format("operands of shapes {} and {} are no matrices", spellShape(a->shape()), spellShape(b->shape())));
  double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  Tensor y =
      emit.contract(node.integer("transA", 0) ? "yx" : "xy", node.integer("transB", 0) ? "zy" : "yz", "xz", a, b);
  if (alpha != 1)
    y = emit.mul(y, emit.scalarLike(y, alpha));
  if (c && beta != 0)
    y = emit.add(y, emit.expand(beta == 1 ? c : emit.mul(c, emit.scalarLike(c, beta)), y->shape()));
  return {y};
}

std::string withoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Sums over the letters that nobody else needs, so that what is left stands in both operands or in the result.
Batched sumPrivate(Emitter &emit, Tensor x, std::string letters, llvm::StringRef needed) {
  Sizes dims;
  std::string kept;
  for (auto [dim, letter] : llvm::enumerate(letters))
    if (needed.contains(letter))
      kept += letter;
    else
      dims.push_back(dim);
  return {emit.reduce(Reduction::Sum, x, dims, false), kept};
}

/// At most two operands, no letter twice in one of them, no ellipsis.
Tensors einsum(Node &node) {
  std::string equation = withoutBlanks(node.text("equation", ""));
  auto [left, right] = llvm::StringRef(equation).split("->");
  SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (equation.find("->") == std::string::npos || llvm::StringRef(equation).contains('.') || terms.size() > 2)
    throw Unsupported(fmt::format(
        "equation '{}' is not supported: it needs one or two operands, a stated result, and no ellipsis", equation));
  if (terms.size() != node.allOperands().size())
    throw Invalid(fmt::format("equation '{}' does not fit {} operands", equation, node.allOperands().size()));
  SmallVector<Batched> operands;
  for (auto [number, term] : llvm::enumerate(terms)) {
    std::set<char> distinct(term.begin(), term.end());
    if (int64_t(term.size()) != node.operand(number)->rank())
      throw Invalid(
          fmt::format("equation '{}' does not fit an operand of rank {}", equation, node.operand(number)->rank()));
    if (distinct.size() != term.size())
      throw Unsupported(fmt::format("equation '{}' is not supported: a letter stands twice in one operand", equation));
    std::string needed = right.str() + (terms.size() == 2 ? terms[1 - number].str() : "");
    operands.push_back(sumPrivate(node.emit, node.operand(number), term.str(), needed));
  }
  for (char letter : right)
    if (!left.contains(letter))
      throw Invalid(fmt::format("letter '{}' of the result stands in no operand", letter));
  if (operands.size() == 2)
    return {
        node.emit.contract(operands[0].letters, operands[1].letters, right, operands[0].tensor, operands[1].tensor)};
  Sizes order;
  for (char letter : right)
    order.push_back(operands[0].letters.find(letter));
  return {node.emit.transpose(operands[0].tensor, order)};
}

constexpr Operator table[] = {
    {"Conv", 11, Types::Float, convolution},
    {"ConvTranspose", 11, Types::Float, transposedConvolution},
    {"Einsum", 12, Types::Number, einsum, "at most two operands, no ellipsis, no letter twice in one operand"},
    {"Gemm", 11, Types::Number, gemm},
    {"MatMul", 11, Types::Number, matMul},
};

} // namespace

llvm::ArrayRef<Operator> contractionOperators() { return table; }

} // namespace froe::importing
