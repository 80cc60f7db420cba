#include "ValueVersions.h"

#include "dialects/Rank/Rank.h"

#include <limits>

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
    : type(type), mesh(mesh), loc(value.getLoc()) {
  versions.push_back({sharding, -1, {}, value});
}

int ValueVersions::find(const Sharding &sharding) const {
  auto same = llvm::find_if(versions, [&](const Version &version) { return version.sharding == sharding; });
  return same == versions.end() ? -1 : static_cast<int>(same - versions.begin());
}

bool ValueVersions::connect(std::vector<Sharding> targets, ReshardPlanner &planner) {
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  while (true) {
    llvm::erase_if(targets, [&](const Sharding &target) { return find(target) >= 0; });
    if (targets.empty())
      return true;
    const PricedReshard *best = nullptr;
    int from = -1;
    for (size_t v = 0; v < versions.size(); ++v)
      for (const Sharding &target : targets) {
        const PricedReshard *priced = planner.plan(type.getShape(), elementBytes, versions[v].sharding, target);
        if (priced && (!best || priced->cost < best->cost)) {
          best = priced;
          from = static_cast<int>(v);
        }
      }
    if (!best)
      return false;
    addPath(from, best->path);
  }
}

void ValueVersions::addPath(int from, const ReshardPath &path) {
  for (const ReshardStep &step : path.steps) {
    int known = find(step.result);
    if (known < 0) {
      known = static_cast<int>(versions.size());
      versions.push_back({step.result, from, step, {}});
    }
    from = known;
  }
}

Value ValueVersions::get(OpBuilder &builder, const Sharding &sharding) { return emit(builder, find(sharding)); }

Value ValueVersions::emit(OpBuilder &builder, int index) {
  if (versions[index].value)
    return versions[index].value;
  Value operand = emit(builder, versions[index].parent);
  const ReshardStep &step = versions[index].step;
  RankedTensorType result = localType(type, step.result, mesh);
  ArrayAttr axes = axisNames(builder, step.axes, mesh);
  auto kind = static_cast<Reduction>(step.reduce);
  Value &value = versions[index].value;
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
