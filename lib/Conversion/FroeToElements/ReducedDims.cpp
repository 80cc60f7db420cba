#include "lib/Conversion/FroeToElements/ReducedDims.h"

#include "lib/Conversion/FroeToElements/KernelBuffers.h"
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {

bool reducesRows(ReduceOp op, const KernelDomain &domain) {
  return isFull(op.getOperand(), domain) && op.getDims().size() == domain.row.size() &&
         llvm::all_of(op.getDims(), [&](int64_t dim) { return dim >= int64_t(domain.outer.size()); });
}

SmallVector<int64_t> reducedSizes(ReduceOp op) {
  SmallVector<int64_t> sizes;
  for (int64_t dim : op.getDims())
    sizes.push_back(shapeOf(op.getOperand())[dim]);
  return sizes;
}

SmallVector<Value> operandIndices(ReduceOp op, Indices kept, Indices reduced) {
  SmallVector<Value> indices;
  for (int64_t dim = 0, rank = shapeOf(op.getOperand()).size(); dim < rank; ++dim) {
    Indices &from = llvm::is_contained(op.getDims(), dim) ? reduced : kept;
    indices.push_back(from.front());
    from = from.drop_front();
  }
  return indices;
}

} // namespace froe
