#include "dialects/Rank/Communication.h"

using namespace mlir;

namespace froe::rank {

/// The axes of a collective, looked up in the module's mesh.
static FailureOr<int64_t> verifyAxes(Operation *op, ArrayAttr axes) {
  MeshOp meshOp = meshOf(op);
  if (!meshOp)
    return op->emitOpError("expected a froe.mesh in the module"), failure();
  Mesh mesh = meshOp.getMesh();
  int64_t blocks = 1;
  llvm::SmallDenseSet<int> seen;
  for (StringRef name : axes.getAsValueRange<StringAttr>()) {
    int axis = mesh.find(std::string_view(name));
    if (axis < 0)
      return op->emitOpError("the mesh has no axis '") << name << "'", failure();
    if (!seen.insert(axis).second)
      return op->emitOpError("axis '") << name << "' stands twice", failure();
    blocks *= mesh.axes[axis].size;
  }
  if (axes.empty())
    return op->emitOpError("expected at least one axis"), failure();
  return blocks;
}

static LogicalResult verifyDim(Operation *op, RankedTensorType type, int64_t dim) {
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("expected a dim below ") << type.getRank() << ", found " << dim;
  return success();
}

/// `whole` is a tensor, `block` what a rank stores of it after a cut along `dim`; other dims agree.
static LogicalResult verifyCut(Operation *op, RankedTensorType whole, RankedTensorType block, int64_t dim,
                               int64_t blocks) {
  if (failed(verifyDim(op, whole, dim)))
    return failure();
  SmallVector<int64_t> expected(whole.getShape());
  expected[dim] = localSize(expected[dim], blocks);
  if (ArrayRef(expected) != block.getShape())
    return op->emitOpError("expected blocks of shape [") << expected << "] of " << whole << ", found " << block;
  return success();
}

LogicalResult AllReduceOp::verify() { return verifyAxes(*this, getAxes()); }

LogicalResult AllGatherOp::verify() {
  FailureOr<int64_t> blocks = verifyAxes(*this, getAxes());
  return failed(blocks) ? failure()
                        : verifyCut(*this, getResult().getType(), getOperand().getType(), getDim(), *blocks);
}

LogicalResult ReduceScatterOp::verify() {
  FailureOr<int64_t> blocks = verifyAxes(*this, getAxes());
  return failed(blocks) ? failure()
                        : verifyCut(*this, getOperand().getType(), getResult().getType(), getDim(), *blocks);
}

LogicalResult SliceOp::verify() {
  FailureOr<int64_t> blocks = verifyAxes(*this, getAxes());
  return failed(blocks) ? failure()
                        : verifyCut(*this, getOperand().getType(), getResult().getType(), getDim(), *blocks);
}

LogicalResult AllToAllOp::verify() {
  FailureOr<int64_t> blocks = verifyAxes(*this, getAxes());
  RankedTensorType operand = getOperand().getType(), result = getResult().getType();
  if (failed(blocks) || failed(verifyDim(*this, operand, getFrom())) || failed(verifyDim(*this, operand, getTo())))
    return failure();
  if (getFrom() == getTo() || result.getRank() != operand.getRank())
    return emitOpError("expected two different dims and one rank");
  SmallVector<int64_t> whole(operand.getShape());
  whole[getFrom()] = result.getDimSize(getFrom());
  RankedTensorType type = operand.clone(ArrayRef(whole));
  return failure(failed(verifyCut(*this, type, operand, getFrom(), *blocks)) ||
                 failed(verifyCut(*this, type, result, getTo(), *blocks)));
}

LogicalResult WaitOp::verify() {
  Operation *collective = getCollective().getDefiningOp();
  if (!collective || !sendsFromArena(collective))
    return emitOpError("expected the result of a collective");
  int64_t waits = llvm::count_if(collective->getUsers(), llvm::IsaPred<WaitOp>);
  if (waits != 1)
    return emitOpError("expected one wait for a collective, found ") << waits;
  return success();
}

LogicalResult MaskOp::verify() {
  FailureOr<int64_t> blocks = verifyAxes(*this, getAxes());
  RankedTensorType type = getOperand().getType();
  if (failed(blocks) || failed(verifyDim(*this, type, getDim())))
    return failure();
  if (localSize(getSize(), *blocks) != type.getDimSize(getDim()))
    return emitOpError("expected blocks of ")
           << localSize(getSize(), *blocks) << " along dim " << getDim() << ", found " << type;
  if (getValue().getType() != type.getElementType())
    return emitOpError("expected a value of type ") << type.getElementType() << ", found " << getValue().getType();
  return success();
}

} // namespace froe::rank
