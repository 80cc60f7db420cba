#include "lib/Conversion/KernelsToGpu/Tiles.h"

#include "lib/Conversion/KernelsToGpu/Share.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace froe {
namespace {

constexpr int64_t kTile = 32, kBlock = 256;
/// Where dims are shorter, a tile is not worth its barrier.
constexpr int64_t kShortest = 8;
constexpr size_t kMaxTiles = 4; ///< 17 KiB of shared memory, if elements have 4 bytes

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The dim that the operand's innermost one becomes.
int64_t innermostOf(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  return llvm::find(permutation, int64_t(permutation.size()) - 1) - permutation.begin();
}

/// Whether elements of `value` are only needed at the place of the kernel's own point.
bool isUsedInPlace(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    if (isa<func::ReturnOp>(user))
      return true;
    if (auto reshape = dyn_cast<ReshapeOp>(user))
      return llvm::all_of(reshape->getUsers(), [](Operation *op) { return isa<func::ReturnOp>(op); });
    return user->hasTrait<OpTrait::Elementwise>() && isUsedInPlace(user->getResult(0));
  });
}

bool canTile(TransposeOp op, const KernelDomain &domain) {
  if (!isFull(op.getResult(), domain) || domain.shape().size() < 2 || elementTypeOf(op.getResult()).isInteger(1))
    return false;
  int64_t dim = innermostOf(op), last = domain.shape().size() - 1;
  return dim != last && domain.shape()[dim] >= kShortest && domain.shape()[last] >= kShortest &&
         isUsedInPlace(op.getResult());
}

class Tiles {
public:
  Tiles(const TilePlan &plan, const KernelDomain &domain, Elements &elements, gpu::GPUFuncOp function, Value thread,
        Value block)
      : plan(plan), transposes(plan.transposes), sizes(domain.shape()), elements(elements), builder(elements.builder),
        index(elements.index), function(function), thread(thread) {
    SmallVector<int64_t> tiles(sizes);
    tiles[plan.dim] = ceilDiv(sizes[plan.dim], plan.height);
    tiles.back() = ceilDiv(sizes.back(), plan.width);
    origin = index.delinear(block, tiles);
    origin[plan.dim] = index.mul(origin[plan.dim], plan.height);
    origin.back() = index.mul(origin.back(), plan.width);
  }

  void collect() {
    for (TransposeOp op : transposes)
      memories.push_back(allocate(scalarType(elementTypeOf(op.getResult()))));
    forEach(/*alongWidth=*/false, [&](Value column, Value row) { // neighbouring threads: neighbours in the operand
      for (auto [op, memory] : llvm::zip(transposes, memories))
        memref::StoreOp::create(builder, elements.at(op.getResult(), place(column, row)), memory, cast(row, column));
    });
    gpu::BarrierOp::create(builder);
  }

  void store(ArrayRef<KernelResult> results) {
    forEach(/*alongWidth=*/true, [&](Value column, Value row) {
      for (auto [op, memory] : llvm::zip(transposes, memories))
        elements.remember(op.getResult(), place(row, column),
                          memref::LoadOp::create(builder, memory, cast(column, row)));
      SmallVector<Value> point = place(row, column);
      for (const KernelResult &result : results)
        elements.store(elements.at(result.value, point), result.pointer, elementTypeOf(result.value),
                       index.linear(point, sizes));
    });
  }

private:
  /// Rows are one element longer than the tile: neither direction meets the same bank of memory twice.
  Value allocate(Type element) {
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
    auto type = MemRefType::get({plan.width, plan.height + 1}, element, MemRefLayoutAttrInterface(), Attribute(space));
    return function.addWorkgroupAttribution(type, builder.getLoc());
  }

  SmallVector<Value> cast(Value i, Value j) {
    auto toIndex = [&](Value value) { return arith::IndexCastOp::create(builder, builder.getIndexType(), value); };
    return {toIndex(i), toIndex(j)};
  }

  /// `h` along the plan's dim, `w` along the innermost one.
  SmallVector<Value> place(Value h, Value w) {
    SmallVector<Value> indices(origin);
    indices[plan.dim] = index.add(origin[plan.dim], h);
    indices.back() = index.add(origin.back(), w);
    return indices;
  }

  Value both(Value a, Value b) { return !a ? b : !b ? a : arith::AndIOp::create(builder, a, b).getResult(); }
  Value isBelow(Value i, int64_t end) {
    if (index.interval(i).high < end)
      return {};
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, i, index.constant(end));
  }

  /// The tile's elements, neighbours along one of its sides by neighbouring threads; those outside the domain are left
  /// out.
  void forEach(bool alongWidth, llvm::function_ref<void(Value column, Value row)> body) {
    int64_t count = plan.height * plan.width, columns = alongWidth ? plan.width : plan.height;
    for (int64_t first = 0; first < count; first += kBlock) {
      Memo::Scope scope(elements.memo);
      Value number = index.add(thread, first);
      Value column = index.rem(number, columns), row = index.div(number, columns);
      SmallVector<Value> point = alongWidth ? place(row, column) : place(column, row);
      Value inside = both(isBelow(number, count),
                          both(isBelow(point[plan.dim], sizes[plan.dim]), isBelow(point.back(), sizes.back())));
      when(elements, inside, [&] { body(column, row); });
    }
  }

  const TilePlan &plan;
  SmallVector<TransposeOp> transposes;
  SmallVector<int64_t> sizes;
  Elements &elements;
  ImplicitLocOpBuilder &builder;
  IndexArithmetic &index;
  gpu::GPUFuncOp function;
  Value thread;
  SmallVector<Value> origin;
  SmallVector<Value> memories;
};

} // namespace

std::optional<TilePlan> TilePlan::of(func::FuncOp kernel, const KernelDomain &domain) {
  TilePlan plan;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, SoftmaxOp, NormalizeOp>(op))
      return std::nullopt;
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!transpose || !canTile(transpose, domain) || plan.transposes.size() == kMaxTiles)
      continue;
    if (plan.transposes.empty())
      plan.dim = innermostOf(transpose);
    if (plan.dim == innermostOf(transpose))
      plan.transposes.push_back(transpose);
  }
  if (plan.transposes.empty())
    return std::nullopt;
  SmallVector<int64_t> sizes = domain.shape();
  plan.height = std::min(kTile, sizes[plan.dim]);
  plan.width = std::min(kTile, sizes.back());
  plan.block = kBlock;
  plan.grid = ceilDiv(sizes[plan.dim], plan.height) * ceilDiv(sizes.back(), plan.width);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (int64_t(dim) != plan.dim && dim + 1 != sizes.size())
      plan.grid *= size;
  return plan;
}

void emitTiles(const TilePlan &plan, const KernelDomain &domain, Elements &elements, gpu::GPUFuncOp function,
               Value thread, Value block, ArrayRef<KernelResult> results) {
  Tiles tiles(plan, domain, elements, function, thread, block);
  tiles.collect();
  tiles.store(results);
}

} // namespace froe
