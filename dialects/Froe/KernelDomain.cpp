#include "dialects/Froe/KernelDomain.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace froe {
namespace {

/// Elements that make a piece of work worth handing to another thread.
constexpr int64_t kPieceElements = 16384;

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

} // namespace

int64_t KernelDomain::extent() const { return product(outer); }
int64_t KernelDomain::rowSize() const { return product(row); }

SmallVector<int64_t> KernelDomain::shape() const {
  SmallVector<int64_t> shape(outer);
  llvm::append_range(shape, row);
  return shape;
}

void KernelDomain::writeTo(Operation *kernel) const {
  Builder builder(kernel->getContext());
  kernel->setAttr(kDomain, builder.getDenseI64ArrayAttr(shape()));
  kernel->setAttr(kRow, builder.getI64IntegerAttr(row.size()));
  kernel->setAttr(kExtent, builder.getI64IntegerAttr(extent()));
  int64_t grain = std::max<int64_t>(kPieceElements / std::max<int64_t>(rowSize(), 1), 1);
  kernel->setAttr(kGrain, builder.getI64IntegerAttr(grain));
}

std::optional<KernelDomain> KernelDomain::of(Operation *kernel) {
  auto shape = kernel->getAttrOfType<DenseI64ArrayAttr>(kDomain);
  auto row = kernel->getAttrOfType<IntegerAttr>(kRow);
  if (!shape || !row || row.getInt() < 0 || row.getInt() > shape.size())
    return std::nullopt;
  return KernelDomain{SmallVector<int64_t>(shape.asArrayRef().drop_back(row.getInt())),
                      SmallVector<int64_t>(shape.asArrayRef().take_back(row.getInt()))};
}

} // namespace froe
