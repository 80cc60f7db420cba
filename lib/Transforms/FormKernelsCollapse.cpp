#include "FormKernels.h"

using namespace mlir;

namespace froe {
namespace {

/// Rows shorter than this leave vector units idle: then more dims make a row.
constexpr int64_t kShortRow = 64;

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

bool isOverRows(Operation &op) { return isa<SoftmaxOp, NormalizeOp, ReduceOp>(op); }

/// Whether the kernel holds only ops that do not care how dims are grouped: elementwise ones of the domain's shape,
/// operands broadcast to it, and normalisation or softmax over its row.
bool isCollapsible(func::FuncOp kernel, ArrayRef<int64_t> shape) {
  return llvm::all_of(kernel.getBody().front(), [&](Operation &op) {
    if (isa<func::ReturnOp>(op))
      return llvm::all_of(op.getOperands(), [&](Value result) { return shapeOf(result) == shape; });
    if (shapeOf(op.getResult(0)) != shape) {
      auto constant = dyn_cast<ConstantOp>(op);
      return constant && isa<SplatElementsAttr>(constant.getValue());
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      return isa<BlockArgument>(broadcast.getOperand()) ||
             broadcast.getOperand().getDefiningOp<ConstantOp>() != nullptr;
    if (auto constant = dyn_cast<ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    return op.hasTrait<OpTrait::Elementwise>() || isa<SoftmaxOp, NormalizeOp>(op);
  });
}

/// Which result dims a broadcast really reads.
SmallVector<bool> dimsRead(BroadcastOp op) {
  SmallVector<bool> reads(shapeOf(op.getResult()).size(), false);
  for (auto [size, dim] : llvm::zip(shapeOf(op.getOperand()), op.getDims()))
    reads[dim] = size == shapeOf(op.getResult())[dim];
  return reads;
}

/// The number of the group that each dim of the domain belongs to.
SmallVector<int64_t> groupDims(func::FuncOp kernel, const KernelDomain &domain, bool hasRows) {
  SmallVector<int64_t> shape = domain.shape(), groups;
  SmallVector<SmallVector<bool>> reads;
  kernel.walk([&](BroadcastOp op) { reads.push_back(dimsRead(op)); });
  int64_t group = 0;
  int64_t before = -1; // the last dim of more than one element
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    bool startsRow = hasRows && dim == int64_t(domain.outer.size());
    bool differs = shape[dim] != 1 && before >= 0 &&
                   llvm::any_of(reads, [&](ArrayRef<bool> read) { return read[before] != read[dim]; });
    if (dim > 0 && (startsRow || differs))
      ++group;
    if (startsRow)
      before = -1;
    if (shape[dim] != 1)
      before = dim;
    groups.push_back(group);
  }
  return groups;
}

/// Rewrites a kernel's body for grouped dims.
class Collapse {
public:
  Collapse(func::FuncOp kernel, ArrayRef<int64_t> shape, ArrayRef<int64_t> groups) : kernel(kernel), groups(groups) {
    collapsed.assign(groups.empty() ? 0 : groups.back() + 1, 1);
    for (auto [size, group] : llvm::zip(shape, groups))
      collapsed[group] *= size;
  }

  ArrayRef<int64_t> shape() const { return collapsed; }

  void run(const KernelDomain &domain) {
    Block &body = kernel.getBody().front();
    SmallVector<int64_t> full = domain.shape();
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointToStart(&body);
    SmallVector<Value> arguments(body.getArguments());
    SmallVector<Operation *> ops;
    for (Operation &op : body)
      ops.push_back(&op);
    for (Value argument : arguments)
      if (shapeOf(argument) == ArrayRef<int64_t>(full) && !argument.use_empty()) {
        SmallVector<OpOperand *> uses;
        for (OpOperand &use : argument.getUses())
          uses.push_back(&use);
        Value reshaped = reshape(builder, argument, collapsed);
        for (OpOperand *use : uses)
          if (!isa<BroadcastOp>(use->getOwner()))
            use->set(reshaped);
      }
    for (Operation *op : ops)
      rewrite(op, full);
  }

private:
  Value reshape(OpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getShape() == shape)
      return value;
    return ReshapeOp::create(builder, kernel.getLoc(), type.clone(shape), value);
  }

  void rewrite(Operation *op, ArrayRef<int64_t> full) {
    OpBuilder builder(op);
    if (isa<func::ReturnOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(reshape(builder, operand.get(), full));
      return;
    }
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      collapseOperand(builder, broadcast);
    if (auto softmax = dyn_cast<SoftmaxOp>(op))
      softmax.setDim(collapsed.size() - 1);
    if (auto normalize = dyn_cast<NormalizeOp>(op)) {
      normalize.setFirst(groups[normalize.getFirst()]);
      ArrayRef<int64_t> row = ArrayRef<int64_t>(collapsed).drop_front(normalize.getFirst());
      for (MutableOperandRange range : {normalize.getScaleMutable(), normalize.getBiasMutable()})
        if (!range.empty())
          range.assign(reshape(builder, range[0].get(), row));
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getShape() != full)
      return;
    op->getResult(0).setType(type.clone(collapsed));
    if (auto constant = dyn_cast<ConstantOp>(op))
      constant.setValueAttr(cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type.clone(collapsed)));
  }

  void collapseOperand(OpBuilder &builder, BroadcastOp op) {
    SmallVector<bool> reads = dimsRead(op);
    SmallVector<int64_t> dims, sizes;
    for (int64_t group = 0; group < int64_t(collapsed.size()); ++group) {
      bool isRead = false;
      for (size_t dim = 0; dim < groups.size(); ++dim)
        isRead |= groups[dim] == group && reads[dim] && shapeOf(op.getResult())[dim] != 1;
      if (!isRead)
        continue;
      dims.push_back(group);
      sizes.push_back(collapsed[group]);
    }
    Value operand = op.getOperand();
    if (auto constant = operand.getDefiningOp<ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
        auto type = cast<RankedTensorType>(operand.getType()).clone(sizes);
        operand = ConstantOp::create(builder, op.getLoc(), splat.resizeSplat(type));
      }
    op.getOperandMutable().assign(reshape(builder, operand, sizes));
    op.setDims(dims);
  }

  func::FuncOp kernel;
  SmallVector<int64_t> groups, collapsed;
};

KernelDomain split(ArrayRef<int64_t> shape, size_t rowRank) {
  return {SmallVector<int64_t>(shape.drop_back(rowRank)), SmallVector<int64_t>(shape.take_back(rowRank))};
}

/// Without reductions the row is free: long enough to be worth a loop, as long as other dims are left.
KernelDomain chooseRow(ArrayRef<int64_t> shape) {
  if (shape.size() <= 1)
    return split(shape, 0);
  size_t rowRank = 1;
  int64_t size = shape.back();
  while (size < kShortRow && rowRank + 1 < shape.size())
    size *= shape[shape.size() - ++rowRank];
  return split(shape, rowRank);
}

void eraseUnused(func::FuncOp kernel) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (!isa<func::ReturnOp>(op) && op.use_empty())
      op.erase();
}

} // namespace

void collapseDims(func::FuncOp kernel, KernelDomain domain) {
  bool hasRows = llvm::any_of(kernel.getBody().front(), isOverRows);
  SmallVector<int64_t> shape = domain.shape();
  if (isCollapsible(kernel, shape)) {
    SmallVector<int64_t> groups = groupDims(kernel, domain, hasRows);
    Collapse collapse(kernel, shape, groups);
    collapse.run(domain);
    int64_t firstOfRow = domain.outer.size();
    size_t outerRank = domain.outer.empty() ? 0 : groups[firstOfRow - 1] + 1;
    if (hasRows)
      domain = split(collapse.shape(), collapse.shape().size() - outerRank);
    shape.assign(collapse.shape().begin(), collapse.shape().end());
    eraseUnused(kernel);
  }
  if (!hasRows)
    domain = chooseRow(shape);
  domain.writeTo(kernel);
}

} // namespace froe
