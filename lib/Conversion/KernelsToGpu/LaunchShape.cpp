#include "lib/Conversion/KernelsToGpu/LaunchShape.h"

#include "lib/Conversion/FroeToElements/Lower.h"
#include "lib/Conversion/FroeToElements/ReducedDims.h"

using namespace mlir;

namespace froe {
namespace {

constexpr int64_t kVectorBytes = 16;
constexpr int64_t kMaxVector = 8; ///< of elements that are wider than a byte somewhere
constexpr int64_t kPointsBlock = 256, kRowsBlock = 128, kMaxBlock = 1024;
/// Elements of a row that a thread may hold in registers.
constexpr int64_t kMaxHeld = 32;
/// Threads that keep a large device's memory busy.
constexpr int64_t kManyThreads = 1 << 16;

int64_t bytesOf(Value tensor) { return memoryType(elementTypeOf(tensor)).getIntOrFloatBitWidth() / 8; }

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

/// Elements that one 16-byte access of the narrowest large tensor holds, if the innermost size is a multiple of it.
int64_t vectorOf(func::FuncOp kernel, int64_t elements, int64_t innermost) {
  SmallVector<Value> tensors(kernel.getArguments());
  llvm::append_range(tensors, kernel.getBody().front().getTerminator()->getOperands());
  int64_t narrowest = kVectorBytes, widest = 1;
  for (Value tensor : tensors)
    if (product(shapeOf(tensor)) * 2 > elements) {
      narrowest = std::min(narrowest, bytesOf(tensor));
      widest = std::max(widest, bytesOf(tensor));
    }
  int64_t vector = kVectorBytes / narrowest;
  if (widest > 1)
    vector = std::min(vector, kMaxVector);
  while (innermost % vector != 0)
    vector /= 2;
  return vector;
}

LaunchShape points(func::FuncOp kernel, const KernelDomain &domain) {
  LaunchShape shape;
  SmallVector<int64_t> sizes = domain.shape();
  int64_t elements = product(sizes);
  // What is left over of a single dim is computed one by one.
  int64_t innermost = sizes.size() == 1 ? 1 << 10 : sizes.empty() ? 1 : std::max<int64_t>(sizes.back(), 1);
  shape.vector = vectorOf(kernel, elements, innermost);
  while (shape.vector > std::max<int64_t>(elements, 1))
    shape.vector /= 2;
  int64_t threads = elements / shape.vector + elements % shape.vector;
  shape.block = std::clamp<int64_t>(llvm::bit_ceil(uint64_t(threads)), kWarp, kPointsBlock);
  shape.grid = std::max<int64_t>(ceilDiv(threads, shape.block), 1);
  return shape;
}

/// A row belongs to a part of a warp where that is enough; else to as many threads as keep the device busy.
LaunchShape rows(func::FuncOp kernel, const KernelDomain &domain) {
  LaunchShape shape;
  shape.form = LaunchShape::Rows;
  int64_t rows = std::max<int64_t>(domain.extent(), 1), rowSize = std::max<int64_t>(domain.rowSize(), 1);
  int64_t innermost = domain.row.empty() ? 1 : std::max<int64_t>(domain.row.back(), 1);
  shape.vector = vectorOf(kernel, rows * rowSize, innermost);
  int64_t vectors = rowSize / shape.vector;
  shape.team = std::min<int64_t>(llvm::bit_ceil(uint64_t(vectors)), kWarp);
  auto held = [&] { return ceilDiv(vectors, shape.team) * shape.vector; };
  while (shape.team < kMaxBlock && held() > kMaxHeld)
    shape.team *= 2;
  while (shape.team < 256 && shape.team < vectors && rows * shape.team < kManyThreads)
    shape.team *= 2;
  shape.turns = ceilDiv(vectors, shape.team);
  shape.inRegisters = held() <= kMaxHeld;
  shape.rowsPerBlock =
      shape.team > kWarp ? 1 : std::min(kRowsBlock / shape.team, int64_t(llvm::bit_ceil(uint64_t(rows))));
  shape.block = std::max(shape.team * shape.rowsPerBlock, kWarp);
  shape.rowsPerBlock = shape.block / shape.team;
  shape.grid = ceilDiv(rows, shape.rowsPerBlock);
  return shape;
}

} // namespace

bool looksAtRows(Operation *op, const KernelDomain &domain) {
  if (isa<SoftmaxOp, NormalizeOp>(op))
    return true;
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reducesRows(reduce, domain);
}

LaunchShape LaunchShape::of(func::FuncOp kernel, const KernelDomain &domain) {
  bool hasRows = llvm::any_of(kernel.getBody().front(), [&](Operation &op) { return looksAtRows(&op, domain); });
  return hasRows ? rows(kernel, domain) : points(kernel, domain);
}

} // namespace froe
