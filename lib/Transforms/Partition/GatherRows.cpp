#include "GatherRows.h"
#include "Padding.h"
#include "ValueVersions.h"

#include "dialects/Rank/Rank.h"

using namespace mlir;

namespace froe {

namespace {

/// Emits ops on the indices of one gather.
class IndexOps {
public:
  IndexOps(OpBuilder &builder, Location loc, RankedTensorType type) : builder(builder), loc(loc), type(type) {}

  Value number(int64_t value) {
    auto elements = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value));
    return ConstantOp::create(builder, loc, type, elements);
  }
  Value select(Value condition, Value yes, Value no) {
    return SelectOp::create(builder, loc, type, condition, yes, no);
  }
  /// low <= value < high
  Value isWithin(Value value, Value low, Value high) {
    RankedTensorType flags = type.clone(builder.getI1Type());
    Value fromLow = CompareOp::create(builder, loc, flags, Comparison::GreaterOrEqual, value, low);
    Value toHigh = CompareOp::create(builder, loc, flags, Comparison::Less, value, high);
    return AndOp::create(builder, loc, flags, fromLow, toHigh);
  }
  /// The first row of this rank's block.
  Value start(int64_t block, const AxisList &axes, const Mesh &mesh) {
    RankedTensorType every = RankedTensorType::get({mesh.blocks(axes)}, type.getElementType());
    RankedTensorType own = every.clone({1});
    Value ranks = IotaOp::create(builder, loc, every, 0);
    Value rank = rank::SliceOp::create(builder, loc, own, ranks, axisNames(builder, axes, mesh), 0);
    Value scalar = ReshapeOp::create(builder, loc, own.clone(ArrayRef<int64_t>()), rank);
    Value repeated = BroadcastOp::create(builder, loc, type, scalar, ArrayRef<int64_t>());
    return MulOp::create(builder, loc, type, repeated, number(block));
  }

private:
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;
};

/// `flags`, which span the dims of the indices, for each element of the result.
Value spread(OpBuilder &builder, Location loc, Value flags, int64_t first, RankedTensorType result) {
  int64_t rank = cast<RankedTensorType>(flags.getType()).getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(first, first + rank));
  return BroadcastOp::create(builder, loc, result.clone(builder.getI1Type()), flags, dims);
}

} // namespace

Value gatherOwnRows(GatherOp gather, int64_t rows, const AxisList &axes, const Mesh &mesh) {
  OpBuilder builder(gather);
  Location loc = gather.getLoc();
  auto type = cast<RankedTensorType>(gather.getIndices().getType());
  int64_t block = gather.getOperand().getType().getDimSize(gather.getDim());
  IndexOps ops(builder, loc, type);
  Value given = gather.getIndices(), zero = ops.number(0), end = ops.number(rows);
  Value fromEnd = AddOp::create(builder, loc, type, given, end);
  Value isNegative = CompareOp::create(builder, loc, type.clone(builder.getI1Type()), Comparison::Less, given, zero);
  Value row = ops.select(isNegative, fromEnd, given);
  Value place = SubOp::create(builder, loc, type, row, ops.start(block, axes, mesh));
  Value isOwn = ops.isWithin(place, zero, ops.number(block));
  Value safe = ops.select(isOwn, place, zero);
  gather.getIndicesMutable().assign(ops.select(ops.isWithin(row, zero, end), safe, ops.number(block)));
  builder.setInsertionPointAfter(gather);
  RankedTensorType result = gather.getType();
  Value own = spread(builder, loc, isOwn, gather.getDim(), result);
  auto none = DenseElementsAttr::get(result, neutralElement(ReduceKind::Sum, result.getElementType()));
  Value zeros = ConstantOp::create(builder, loc, result, none);
  return SelectOp::create(builder, loc, result, own, gather.getResult(), zeros);
}

} // namespace froe
