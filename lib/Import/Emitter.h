#pragma once

#include "Tensor.h"

#include "dialects/Froe/Froe.h"
#include "mlir/IR/Builders.h"

namespace froe::importing {

using Sizes = llvm::SmallVector<int64_t, 6>;

/// begin, begin + 1, …, end - 1
inline Sizes counting(int64_t begin, int64_t end) { return llvm::to_vector<6>(llvm::seq<int64_t>(begin, end)); }

/// Emits froe ops, or evaluates them where all operands are known and small. Operands broadcast as in ONNX.
///
/// An importing function describes its operator once in these words; shape arithmetic then folds by itself. Every
/// member throws Invalid where operands do not fit each other.
class Emitter {
public:
  /// Results up to this many elements are evaluated here.
  static constexpr int64_t kFoldLimit = 64 * 1024;

  explicit Emitter(mlir::OpBuilder &builder) : builder(builder), location(builder.getUnknownLoc()) {}

  mlir::OpBuilder &builder;
  /// Names the ONNX node at work.
  mlir::Location location;

  mlir::MLIRContext *context() { return builder.getContext(); }
  mlir::Type i64() { return builder.getI64Type(); }

  // Between tensors and values.
  Tensor wrap(mlir::Value value);
  Tensor known(Constant constant);
  Tensor scalar(mlir::Type elementType, double value) {
    return known(Constant::splat(elementType, {}, scalarOf(elementType, value)));
  }
  /// A scalar of `like`'s element type.
  Tensor scalarLike(const Tensor &like, double value) { return scalar(like->elementType(), value); }
  Tensor integers(llvm::ArrayRef<int64_t> values) { return known(Constant::integers(context(), values)); }
  mlir::Value value(const Tensor &tensor);

  // Elementwise.
  Tensor add(Tensor a, Tensor b);
  Tensor sub(Tensor a, Tensor b);
  Tensor mul(Tensor a, Tensor b);
  Tensor div(Tensor a, Tensor b);
  /// Floats: sign of the dividend; integers: sign of the divisor.
  Tensor mod(Tensor a, Tensor b);
  Tensor pow(Tensor a, Tensor b);
  Tensor max(Tensor a, Tensor b);
  Tensor min(Tensor a, Tensor b);
  Tensor logicalAnd(Tensor a, Tensor b);
  Tensor logicalOr(Tensor a, Tensor b);
  Tensor logicalXor(Tensor a, Tensor b);
  Tensor logicalNot(Tensor x);
  Tensor compare(Comparison relation, Tensor a, Tensor b);
  Tensor select(Tensor condition, Tensor a, Tensor b);
  Tensor cast(Tensor x, mlir::Type elementType);
  Tensor isNan(Tensor x);
  Tensor gelu(GeluForm form, Tensor x);
  Tensor abs(Tensor x);
  Tensor neg(Tensor x);
  Tensor exp(Tensor x);
  Tensor log(Tensor x);
  Tensor sqrt(Tensor x);
  Tensor reciprocal(Tensor x);
  Tensor sin(Tensor x);
  Tensor cos(Tensor x);
  Tensor tanh(Tensor x);
  Tensor erf(Tensor x);
  Tensor floor(Tensor x);
  Tensor ceil(Tensor x);
  Tensor round(Tensor x);
  Tensor sign(Tensor x);
  Tensor sigmoid(Tensor x);
  Tensor silu(Tensor x);
  Tensor relu(Tensor x);

  // Layout.
  Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(Tensor x, llvm::ArrayRef<int64_t> permutation);
  /// Operand dim i becomes dim dims[i] of `shape`.
  Tensor broadcast(Tensor x, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
  /// Aligned at the last dim, as ONNX broadcasts.
  Tensor expand(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor concat(llvm::ArrayRef<Tensor> operands, int64_t dim);
  Tensor slice(Tensor x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> shape);
  /// Elements [start, start + size) of one dim.
  Tensor sliceDim(Tensor x, int64_t dim, int64_t start, int64_t size, int64_t step = 1);
  Tensor pad(Tensor x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high, double value);
  /// What windows over the last dims see: see froe.window. `windows` says how many there are along each.
  Tensor window(Tensor x, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
                llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> windows);
  /// 0, 1, … along `dim`.
  Tensor iota(mlir::Type elementType, llvm::ArrayRef<int64_t> shape, int64_t dim);

  // Over several elements.
  Tensor reduce(Reduction kind, Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims);
  Tensor mean(Tensor x, llvm::ArrayRef<int64_t> dims, bool keepDims);
  Tensor softmax(Tensor x, int64_t dim);
  Tensor normalize(NormalizeForm form, Tensor x, Tensor scale, Tensor bias, int64_t first, double epsilon);
  Tensor contract(llvm::StringRef lhsLetters, llvm::StringRef rhsLetters, llvm::StringRef resultLetters, Tensor lhs,
                  Tensor rhs);
  Tensor gather(Tensor x, Tensor indices, int64_t dim);
  Tensor gatherNd(Tensor x, Tensor indices, int64_t batchDims);

private:
  mlir::Value emitConstant(const Constant &constant);
  template <typename Op> Tensor unary(Tensor x, double (*real)(double), int64_t (*integer)(int64_t) = nullptr);
  template <typename Op>
  Tensor binary(Tensor a, Tensor b, double (*real)(double, double), int64_t (*integer)(int64_t, int64_t));
  using ScalarRule = llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)>;
  /// Evaluates `rule` on equally shaped operands, once for each distinct element. Null if too large or not known.
  Tensor fold(llvm::ArrayRef<Tensor> operands, mlir::Type elementType, ScalarRule rule);
};

/// The shape that operands of these shapes broadcast to. Throws Invalid.
Sizes broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// `dim` counted from the front. Throws Invalid unless -rank <= dim < rank.
int64_t positiveDim(int64_t dim, int64_t rank, llvm::StringRef what = "axis");

} // namespace froe::importing
