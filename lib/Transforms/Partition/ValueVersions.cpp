#include "ValueVersions.h"

#include "dialects/Rank/Rank.h"

using namespace mlir;

namespace froe {

RankedTensorType localType(RankedTensorType type, const Sharding &sharding, const Mesh &mesh) {
  return RankedTensorType::get(localShape(type.getShape(), sharding, mesh), type.getElementType());
}

ArrayAttr axisNames(Builder &builder, const AxisList &axes, const Mesh &mesh) {
  SmallVector<StringRef> names;
  for (AxisIndex axis : axes)
    names.push_back(mesh.axes[axis].name);
  return builder.getStrArrayAttr(names);
}

ValueVersions::ValueVersions(Value value, RankedTensorType type, const Sharding &sharding, const Mesh &mesh)
    : type(type), mesh(mesh), loc(value.getLoc()), versions(sharding), values{value} {}

bool ValueVersions::connect(std::vector<Sharding> targets, ReshardPlanner &planner) {
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  bool connected = versions.connect(std::move(targets), type.getShape(), elementBytes, planner);
  values.resize(versions.size());
  return connected;
}

Value ValueVersions::get(OpBuilder &builder, const Sharding &sharding) {
  return emit(builder, versions.find(sharding));
}

Value ValueVersions::emit(OpBuilder &builder, int index) {
  if (values[index])
    return values[index];
  Value operand = emit(builder, versions[index].parent);
  const ReshardStep &step = versions[index].step;
  RankedTensorType result = localType(type, step.result, mesh);
  ArrayAttr axes = axisNames(builder, step.axes, mesh);
  auto kind = static_cast<Reduction>(step.reduce);
  Value &value = values[index];
  switch (step.kind) {
  case ReshardStep::Kind::AllGather:
    return value = rank::AllGatherOp::create(builder, loc, result, operand, axes, step.dim);
  case ReshardStep::Kind::AllReduce:
    return value = rank::AllReduceOp::create(builder, loc, result, kind, operand, axes);
  case ReshardStep::Kind::ReduceScatter:
    return value = rank::ReduceScatterOp::create(builder, loc, result, kind, operand, axes, step.dim);
  case ReshardStep::Kind::AllToAll:
    return value = rank::AllToAllOp::create(builder, loc, result, operand, axes, step.fromDim, step.dim);
  case ReshardStep::Kind::Slice:
    return value = rank::SliceOp::create(builder, loc, result, operand, axes, step.dim);
  }
  llvm_unreachable("unknown step");
}

} // namespace froe
