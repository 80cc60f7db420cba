#include "ArithmeticBound.h"

#include "dialects/Froe/Froe.h"

#include <limits>

namespace froe {

namespace {
std::vector<int64_t> divisorsOf(int64_t number) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= number; ++divisor)
    if (number % divisor == 0)
      divisors.push_back(divisor);
  return divisors;
}
} // namespace

ArithmeticBound::ArithmeticBound(mlir::func::FuncOp main, const Cluster &cluster, bool roundsFactors)
    : cluster(cluster) {
  Mesh one{{{"x", 1}}};
  CostModel costs(std::make_shared<KernelForecast>(main, cluster.device), one, cluster, roundsFactors);
  main.walk([&](ContractOp op) {
    Strategy whole;
    for (mlir::Value operand : op->getOperands())
      whole.operands.push_back(Sharding::replicated(static_cast<int64_t>(shapeOf(operand).size())));
    Product product{costs.productShape(op, whole), costs.productType(op), 1};
    auto same = llvm::find_if(
        products, [&](const Product &other) { return other.shape == product.shape && other.type == product.type; });
    if (same == products.end())
      products.push_back(product);
    else
      ++same->count;
  });
}

double ArithmeticBound::seconds(int64_t devices) {
  auto [it, isNew] = known.try_emplace(devices, 0);
  if (isNew)
    for (const Product &product : products)
      it->second += product.count * leastSeconds(product, devices);
  return it->second;
}

/// Over all ways to divide m, n, k and the batch: a strategy cuts each by some divisor of the devices.
double ArithmeticBound::leastSeconds(const Product &product, int64_t devices) const {
  double least = std::numeric_limits<double>::infinity();
  auto cut = [](int64_t size, int64_t parts) { return std::max<int64_t>(1, size / parts); };
  Cluster inUse = cluster.withDevices(devices);
  for (int64_t batch : divisorsOf(devices))
    for (int64_t m : divisorsOf(devices / batch))
      for (int64_t n : divisorsOf(devices / batch / m))
        for (int64_t k : divisorsOf(devices / batch / m / n)) {
          MatmulShape part = product.shape;
          part.batch = cut(part.batch, batch);
          part.m = cut(part.m, m);
          part.n = cut(part.n, n);
          part.k = cut(part.k, k);
          least = std::min(least, matmulSeconds(inUse, part, product.type));
        }
  return least + (product.shape.writesResult ? cluster.device.kernelOverheadSeconds : 0);
}

} // namespace froe
