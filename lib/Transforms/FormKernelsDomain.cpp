#include "FormKernels.h"

using namespace mlir;

namespace froe {
namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Sums of a row that are too many for a row buffer are computed one by one.
constexpr int64_t kMaxRow = 32768;

/// Where the indices of a value come from, for a point of the domain: for each of its dims the domain's dim, or kZero.
/// A value that is read in other ways has no access.
constexpr int64_t kZero = -1, kElsewhere = -2;
using Access = SmallVector<int64_t>;

/// Which ops look at whole rows, and whether these are the last dims of what they read.
bool isOverRows(Operation *op) { return isa<SoftmaxOp, NormalizeOp, ReduceOp>(op); }

int64_t rowRank(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getDims().size();
  if (auto normalize = dyn_cast<NormalizeOp>(op))
    return shapeOf(normalize.getOperand()).size() - normalize.getFirst();
  return 1;
}

bool isOverLastDims(Operation *op) {
  int64_t rank = shapeOf(op->getOperand(0)).size();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return llvm::all_of(reduce.getDims(), [&](int64_t dim) { return dim >= rank - rowRank(op); });
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return softmax.getDim() == rank - 1;
  return true;
}

/// Follows accesses from a kernel's results to its operands, and checks that rows are read as rows.
class Accesses {
public:
  Accesses(const KernelOps &ops, const KernelDomain &domain) : ops(ops), domain(domain) {}

  bool allRowsAreAligned() {
    int64_t rank = domain.shape().size(), outer = domain.outer.size();
    for (Value result : resultsOf(ops))
      if (shapeOf(result) == ArrayRef<int64_t>(domain.shape()))
        read(result, identity(0, rank));
      else if (shapeOf(result) == ArrayRef<int64_t>(domain.outer))
        read(result, identity(0, outer));
      else
        return false;
    SmallVector<Operation *> order(ops.getArrayRef());
    llvm::sort(order, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    return llvm::all_of(order, [&](Operation *op) { return pass(op); });
  }

private:
  Access identity(int64_t from, int64_t to) {
    Access access;
    SmallVector<int64_t> shape = domain.shape();
    for (int64_t dim = from; dim < to; ++dim)
      access.push_back(shape[dim] == 1 ? kZero : dim);
    return access;
  }

  void read(Value value, Access access) {
    if (Operation *op = value.getDefiningOp(); op && ops.contains(op))
      if (!llvm::is_contained(accesses[value], access))
        accesses[value].push_back(std::move(access));
  }

  bool pass(Operation *op) {
    SmallVector<Access> reads = accesses.lookup(op->getResult(0));
    if (isOverRows(op))
      return passRow(op, reads);
    for (const Access &access : reads)
      llvm::TypeSwitch<Operation *>(op)
          .Case<BroadcastOp, TransposeOp, SliceOp, ConcatOp, PadOp, WindowOp, ReshapeOp, rank::ViewOp>(
              [&](auto layout) { passLayout(layout, access); })
          .Case<GatherOp>([&](GatherOp gather) { passGather(gather, access); })
          .Default([&](Operation *other) {
            bool sameIndices = other->hasTrait<OpTrait::Elementwise>();
            for (Value operand : other->getOperands())
              read(operand, sameIndices ? access : Access(shapeOf(operand).size(), kElsewhere));
          });
    return true;
  }

  bool passRow(Operation *op, ArrayRef<Access> reads) {
    int64_t rank = domain.shape().size(), outer = domain.outer.size();
    if (!isOverLastDims(op) || shapeOf(op->getOperand(0)) != ArrayRef<int64_t>(domain.shape()) ||
        rowRank(op) != int64_t(domain.row.size()))
      return passFreeReduce(op, reads);
    Access own = identity(0, isa<ReduceOp>(op) ? outer : rank);
    read(op->getOperand(0), identity(0, rank));
    for (Value operand : op->getOperands().drop_front())
      read(operand, identity(outer, rank));
    return llvm::all_of(reads, [&](const Access &access) { return access == own; });
  }

  /// A reduction whose result has the domain's shape.
  bool passFreeReduce(Operation *op, ArrayRef<Access> reads) {
    if (!isa<ReduceOp>(op) || shapeOf(op->getResult(0)) != ArrayRef<int64_t>(domain.shape()) ||
        domain.rowSize() > kMaxRow)
      return false;
    read(op->getOperand(0), Access(shapeOf(op->getOperand(0)).size(), kElsewhere));
    Access own = identity(0, domain.shape().size());
    return llvm::all_of(reads, [&](const Access &access) { return access == own; });
  }

  void passLayout(BroadcastOp op, const Access &access) {
    Access source;
    for (auto [size, dim] : llvm::zip(shapeOf(op.getOperand()), op.getDims()))
      source.push_back(size == 1 ? kZero : access[dim]);
    read(op.getOperand(), source);
  }
  void passLayout(TransposeOp op, const Access &access) {
    Access source(access);
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      source[from] = access[dim];
    read(op.getOperand(), source);
  }
  void passLayout(SliceOp op, const Access &access) {
    Access source(access);
    for (size_t dim = 0; dim < source.size(); ++dim)
      if (op.getStarts()[dim] != 0 || op.getStrides()[dim] != 1)
        source[dim] = kElsewhere;
    read(op.getOperand(), source);
  }
  void passLayout(ConcatOp op, const Access &access) {
    Access source(access);
    source[op.getDim()] = kElsewhere;
    for (Value operand : op.getOperands())
      read(operand, source);
  }
  void passLayout(PadOp op, const Access &access) {
    Access source(access);
    for (size_t dim = 0; dim < source.size(); ++dim)
      if (op.getLow()[dim] != 0 || op.getHigh()[dim] != 0)
        source[dim] = kElsewhere;
    read(op.getOperand(), source);
  }
  void passLayout(WindowOp op, const Access &access) {
    Access source(ArrayRef<int64_t>(access).take_front(op.getLeadingDims()));
    source.append(op.getSizes().size(), kElsewhere);
    read(op.getOperand(), source);
  }
  /// Dims of more than one element that are the same in both shapes keep their index.
  template <typename Reshape>
    requires llvm::is_one_of<Reshape, ReshapeOp, rank::ViewOp>::value
  void passLayout(Reshape op, const Access &access) {
    ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
    Access source;
    for (int64_t size : from)
      source.push_back(size == 1 ? kZero : kElsewhere);
    int64_t left = 1, right = 1;
    for (size_t i = 0, j = 0; i < from.size(); left *= from[i++]) {
      for (; j < to.size() && (right < left || to[j] == 1); ++j)
        right *= to[j];
      if (from[i] != 1 && left == right && j < to.size() && from[i] == to[j])
        source[i] = access[j];
    }
    read(op.getOperand(), source);
  }
  void passGather(GatherOp op, const Access &access) {
    int64_t dim = op.getDim(), indexRank = shapeOf(op.getIndices()).size();
    read(op.getIndices(), Access(ArrayRef<int64_t>(access).slice(dim, indexRank)));
    Access source(ArrayRef<int64_t>(access).take_front(dim));
    source.push_back(kElsewhere);
    llvm::append_range(source, ArrayRef<int64_t>(access).drop_front(dim + indexRank));
    read(op.getOperand(), source);
  }

  const KernelOps &ops;
  const KernelDomain &domain;
  llvm::DenseMap<Value, SmallVector<Access>> accesses;
};

KernelDomain split(ArrayRef<int64_t> shape, size_t rowRank) {
  return {SmallVector<int64_t>(shape.drop_back(rowRank)), SmallVector<int64_t>(shape.take_back(rowRank))};
}

/// For a reduction whose result's shape is the domain.
KernelDomain domainOfResult(ReduceOp reduce) {
  ArrayRef<int64_t> shape = shapeOf(reduce.getResult());
  int64_t last = shapeOf(reduce.getOperand()).size() - 1;
  bool sumsRows = !shape.empty() && !llvm::is_contained(reduce.getDims(), last) && shape.back() <= kMaxRow;
  return split(shape, sumsRows ? 1 : 0);
}

} // namespace

std::optional<KernelDomain> findDomain(const KernelOps &ops) {
  SmallVector<Value> results = resultsOf(ops);
  SmallVector<Operation *> overRows(llvm::make_filter_range(ops, isOverRows));
  KernelDomain domain;
  if (overRows.empty()) {
    ArrayRef<int64_t> shape = shapeOf(results.front());
    domain = split(shape, shape.empty() ? 0 : 1);
  } else if (llvm::all_of(overRows, isOverLastDims)) {
    domain = split(shapeOf(overRows.front()->getOperand(0)), rowRank(overRows.front()));
  } else if (overRows.size() == 1 && isa<ReduceOp>(overRows.front())) {
    domain = domainOfResult(cast<ReduceOp>(overRows.front()));
  } else {
    return std::nullopt;
  }
  if (!Accesses(ops, domain).allRowsAreAligned())
    return std::nullopt;
  return domain;
}

} // namespace froe
