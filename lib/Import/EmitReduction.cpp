// Ops that combine several elements: reductions, normalisations, contractions.
#include "ElementTypes.h"
#include "Emitter.h"
#include "Failure.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace froe::importing {

static Scalar neutral(Reduction kind, Type type) {
  bool isFloat = isa<FloatType>(type);
  double infinity = std::numeric_limits<double>::infinity();
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  int64_t largest = isUnsigned && width < 64 ? (int64_t(1) << width) - 1 : INT64_MAX >> (64 - width);
  int64_t smallest = isUnsigned ? 0 : INT64_MIN >> (64 - width);
  switch (kind) {
  case Reduction::Sum:
    return scalarOf(type, 0);
  case Reduction::Product:
    return scalarOf(type, 1);
  case Reduction::Max:
    return isFloat ? realScalar(-infinity) : integerScalar(smallest);
  case Reduction::Min:
    return isFloat ? realScalar(infinity) : integerScalar(largest);
  case Reduction::And:
    return integerScalar(roundTo(type, integerScalar(-1)).integer);
  case Reduction::Or:
    return integerScalar(0);
  }
  llvm_unreachable("all kinds are listed");
}

static double combine(Reduction kind, double a, double b) {
  switch (kind) {
  case Reduction::Sum:
    return a + b;
  case Reduction::Product:
    return a * b;
  case Reduction::Max:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
  case Reduction::Min:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
  default:
    llvm_unreachable("logical reductions are of integers");
  }
}

static int64_t combine(Reduction kind, int64_t a, int64_t b) {
  switch (kind) {
  case Reduction::Sum:
    return static_cast<int64_t>(uint64_t(a) + uint64_t(b));
  case Reduction::Product:
    return static_cast<int64_t>(uint64_t(a) * uint64_t(b));
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Min:
    return std::min(a, b);
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  }
  llvm_unreachable("all kinds are listed");
}

static Constant evaluateReduce(Reduction kind, const Constant &x, const Sizes &keptShape) {
  std::vector<Scalar> sums(elementCount(keptShape), neutral(kind, x.elementType()));
  forEachIndex(x.shape(), [&](llvm::ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, size] : llvm::zip_equal(index, keptShape))
      position = position * size + (size == 1 ? 0 : i);
    Scalar element = x.at(index), &sum = sums[position];
    if (x.isFloat())
      sum.real = combine(kind, sum.real, element.real);
    else
      sum.integer = combine(kind, sum.integer, element.integer);
  });
  for (Scalar &sum : sums)
    sum = roundTo(x.elementType(), sum);
  return Constant::dense(x.elementType(), keptShape, std::move(sums));
}

Tensor Emitter::reduce(Reduction kind, Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims) {
  Sizes kept(x->shape()), dropped;
  for (int64_t dim = 0; dim < x->rank(); ++dim)
    if (llvm::is_contained(dims, dim))
      kept[dim] = 1;
    else
      dropped.push_back(x->size(dim));
  llvm::ArrayRef<int64_t> wanted = keepDims ? llvm::ArrayRef<int64_t>(kept) : dropped;
  if (dims.empty() || (elementCount(kept) == elementCount(x->shape()) && elementCount(kept) > 0))
    return reshape(x, wanted);
  if (x->constant && x->constant->count() <= kFoldLimit)
    return reshape(known(evaluateReduce(kind, *x->constant, kept)), wanted);
  auto type = RankedTensorType::get(dropped, x->elementType());
  return reshape(wrap(ReduceOp::create(builder, location, type, kind, value(x), dims)), wanted);
}

Tensor Emitter::mean(Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x->size(dim);
  Tensor sum = reduce(Reduction::Sum, x, dims, keepDims);
  if (count == 1)
    return sum;
  return x->isFloat() ? mul(sum, scalarLike(x, 1.0 / count)) : div(sum, scalarLike(x, count));
}

Tensor Emitter::softmax(Tensor x, int64_t dim) {
  return wrap(SoftmaxOp::create(builder, location, x->type, value(x), dim));
}

Tensor Emitter::normalize(NormalizeForm form, Tensor x, Tensor scale, Tensor bias, int64_t first, double epsilon) {
  llvm::ArrayRef<int64_t> dims = x->shape().drop_front(first);
  auto parameter = [&](const Tensor &tensor) {
    if (tensor && tensor->elementType() != x->elementType())
      throw Unsupported(fmt::format("a scale or bias of element type {} on a tensor of {} is not supported",
                                    spell(tensor->elementType()), spell(x->elementType())));
    return tensor ? value(expand(tensor, dims)) : Value();
  };
  return wrap(NormalizeOp::create(builder, location, x->type, form, value(x), parameter(scale), parameter(bias), first,
                                  llvm::APFloat(epsilon)));
}

/// Multiplies and adds up element by element. The sizes of all letters stand in `sizeOf`.
static Constant evaluateContract(llvm::StringRef lhsLetters, llvm::StringRef rhsLetters, llvm::StringRef resultLetters,
                                 llvm::StringRef letters, const Sizes &sizes, const Constant &lhs,
                                 const Constant &rhs) {
  auto pick = [&](llvm::StringRef of, llvm::ArrayRef<int64_t> index) {
    Sizes picked;
    for (char letter : of)
      picked.push_back(index[letters.find(letter)]);
    return picked;
  };
  Sizes shape = pick(resultLetters, sizes);
  std::vector<Scalar> sums(elementCount(shape), scalarOf(lhs.elementType(), 0));
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, size] : llvm::zip_equal(pick(resultLetters, index), shape))
      position = position * size + i;
    Scalar a = lhs.at(pick(lhsLetters, index)), b = rhs.at(pick(rhsLetters, index));
    if (lhs.isFloat())
      sums[position].real += a.real * b.real;
    else
      sums[position].integer =
          combine(Reduction::Sum, sums[position].integer, combine(Reduction::Product, a.integer, b.integer));
  });
  for (Scalar &sum : sums)
    sum = roundTo(lhs.elementType(), sum);
  return Constant::dense(lhs.elementType(), shape, std::move(sums));
}

Tensor Emitter::contract(llvm::StringRef lhsLetters, llvm::StringRef rhsLetters, llvm::StringRef resultLetters,
                         Tensor lhs, Tensor rhs) {
  if (lhs->elementType() != rhs->elementType())
    throw Invalid(fmt::format("its operands have different element types, {} and {}", spell(lhs->elementType()),
                              spell(rhs->elementType())));
  std::string letters;
  Sizes sizes, shape;
  auto note = [&](llvm::StringRef of, const Tensor &tensor) {
    for (auto [letter, size] : llvm::zip_equal(of, tensor->shape())) {
      size_t at = letters.find(letter);
      if (at == std::string::npos) {
        letters += letter;
        sizes.push_back(size);
      } else if (sizes[at] != size) {
        throw Invalid(
            fmt::format("operands of shapes {} and {} do not fit: dims of {} and {} are multiplied with each other",
                        spellShape(lhs->shape()), spellShape(rhs->shape()), sizes[at], size));
      }
    }
  };
  note(lhsLetters, lhs);
  note(rhsLetters, rhs);
  for (char letter : resultLetters)
    shape.push_back(sizes[letters.find(letter)]);
  elementCount(shape, 8);
  constexpr int64_t workLimit = 1 << 22;
  if (lhs->constant && rhs->constant && elementCount(shape) <= kFoldLimit && elementCount(sizes) <= workLimit)
    return known(
        evaluateContract(lhsLetters, rhsLetters, resultLetters, letters, sizes, *lhs->constant, *rhs->constant));
  std::string subscripts = fmt::format("{},{}->{}", lhsLetters.str(), rhsLetters.str(), resultLetters.str());
  return wrap(ContractOp::create(builder, location, RankedTensorType::get(shape, lhs->elementType()), subscripts,
                                 value(lhs), value(rhs)));
}

} // namespace froe::importing
