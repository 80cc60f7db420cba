#include "froe/Analysis/CostModel.h"
#include "froe/Cost/Collectives.h"

#include "dialects/Froe/Froe.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/raw_ostream.h"

namespace froe {

namespace {
/// Arithmetic operations an element, rough: functions that a polynomial approximates take about twenty.
double operationsPerElement(mlir::Operation *op) {
  if (llvm::isa<ExpOp, LogOp, SinOp, CosOp, TanhOp, ErfOp, SigmoidOp, SiluOp, GeluOp, PowOp, SoftmaxOp>(op))
    return 20;
  if (llvm::isa<NormalizeOp>(op))
    return 6;
  return 1;
}

int64_t elementsOf(llvm::ArrayRef<int64_t> shape, const Sharding &sharding, const Mesh &mesh) {
  return localBytes(shape, 1, sharding, mesh);
}
} // namespace

std::string elementTypeName(mlir::Value value) {
  mlir::Type type = llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  if (type.isF32()) // printing a type takes a microsecond, and this is asked for each strategy of an op
    return "f32";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

CostModel::CostModel(std::shared_ptr<const KernelForecast> forecast, const Mesh &mesh, const Cluster &cluster,
                     bool roundsFactors)
    : mesh(mesh), cluster(cluster.withDevices(mesh.deviceCount())), roundsFactors(roundsFactors),
      steps(stepCost(this->cluster, mesh)), moves(moveCost(this->cluster, mesh)), forecast(std::move(forecast)),
      planner(mesh, steps) {}

std::string CostModel::productType(ContractOp op) const {
  std::string type = elementTypeName(op.getLhs());
  bool isFused = forecast->partOf(op) != AttentionPart::None; // whose kernel rounds no factors
  return roundsFactors && type == "f32" && !isFused ? "tf32" : type;
}

double CostModel::computeSeconds(mlir::Operation *op, const Strategy &strategy) const {
  if (llvm::isa<WeightOp, ConstantOp, IotaOp, ReshapeOp>(op))
    return 0;
  if (auto contract = llvm::dyn_cast<ContractOp>(op)) {
    MatmulShape shape = productShape(contract, strategy);
    return matmulSeconds(cluster, shape, productType(contract)) +
           (shape.writesResult ? cluster.device.kernelOverheadSeconds : 0);
  }
  const Sharding &largest = llvm::isa<ReduceOp>(op) ? strategy.operands[0] : strategy.results[0];
  mlir::Value counted = llvm::isa<ReduceOp>(op) ? op->getOperand(0) : op->getResult(0);
  double operations = operationsPerElement(op) * elementsOf(shapeOf(counted), largest, mesh);
  if (llvm::isa<BroadcastOp>(op) && forecast->staysInKernel(op->getResult(0)))
    operations = 0;
  double vectorRate = cluster.vectorFlopsPerSecond();
  double seconds = kernelSeconds(cluster, operations, vectorRate, bytesMoved(op, strategy));
  bool endsKernel = !forecast->staysInKernel(op->getResult(0)) && !forecast->followsProduct(op);
  return seconds + (endsKernel ? cluster.device.kernelOverheadSeconds : 0);
}

MatmulShape CostModel::productShape(ContractOp contract, const Strategy &strategy) const {
  MatmulShape shape;
  auto localSizeOf = [&](mlir::Value value, const Sharding &sharding, size_t dim) {
    return localSize(shapeOf(value)[dim], mesh.blocks(sharding.dims[dim]));
  };
  llvm::StringRef rhs = contract.getRhsLetters(), result = contract.getResultLetters();
  for (auto [dim, letter] : llvm::enumerate(contract.getLhsLetters())) {
    int64_t size = localSizeOf(contract.getLhs(), strategy.operands[0], dim);
    (!result.contains(letter) ? shape.k : rhs.contains(letter) ? shape.batch : shape.m) *= size;
  }
  for (auto [dim, letter] : llvm::enumerate(rhs))
    if (!contract.getLhsLetters().contains(letter))
      shape.n *= localSizeOf(contract.getRhs(), strategy.operands[1], dim);
  shape.weight = isWeight(contract.getRhs()) || isWeight(contract.getLhs());
  shape.readsLeft = !forecast->staysInKernel(contract.getLhs());
  shape.readsRight = !forecast->staysInKernel(contract.getRhs());
  shape.writesResult = forecast->partOf(contract) != AttentionPart::Scores;
  if (isWeight(contract.getLhs())) {
    std::swap(shape.m, shape.n);
    std::swap(shape.readsLeft, shape.readsRight);
  }
  return shape;
}

int64_t CostModel::bytesMoved(mlir::Operation *op, const Strategy &strategy) const {
  auto bytes = [&](mlir::Value value, const Sharding &sharding) {
    return localBytes(shapeOf(value), elementBytesOf(value), sharding, mesh);
  };
  int64_t total = 0;
  // What only picks elements reads as many as it writes.
  bool picks = llvm::isa<GatherOp, GatherNdOp, SliceOp>(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!forecast->staysInKernel(operand) && !(picks && i == 0))
      total += bytes(operand, strategy.operands[i]);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    bool written = !forecast->staysInKernel(result) && !forecast->followsProduct(op);
    total += ((written ? 1 : 0) + (picks ? 1 : 0)) * bytes(result, strategy.results[i]);
  }
  return total;
}

const ReshardPath *CostModel::reshardPath(mlir::Value value, const Sharding &from, const Sharding &to) {
  const PricedReshard *priced = planner.plan(shapeOf(value), elementBytesOf(value), from, to);
  return priced ? &priced->path : nullptr;
}

double CostModel::reshardSeconds(mlir::Value value, const Sharding &from, const Sharding &to) {
  return from == to ? 0 : planner.cost(shapeOf(value), elementBytesOf(value), from, to);
}

ReshardTable &CostModel::tableOf(mlir::Value value) {
  const void *type = value.getType().getAsOpaquePointer();
  return tables.try_emplace(type, shapeOf(value), elementBytesOf(value), mesh, moves).first->second;
}

void CostModel::expectReshards(mlir::Value value, std::span<const Sharding *const> from) {
  tableOf(value).prepare(from);
}

std::vector<double> CostModel::reshardSeconds(mlir::Value value, std::span<const Sharding *const> from,
                                              std::span<const Sharding *const> to) {
  return tableOf(value).between(from, to);
}

ReshardVersions CostModel::versionsOf(mlir::Value value, const Sharding &from, std::vector<Sharding> targets) {
  ReshardVersions versions(from);
  versions.connect(std::move(targets), shapeOf(value), elementBytesOf(value), planner);
  return versions;
}

int64_t CostModel::localBytesOf(mlir::Value value, const Sharding &sharding) const {
  return localBytes(shapeOf(value), elementBytesOf(value), sharding, mesh);
}

} // namespace froe
