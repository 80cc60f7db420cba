#include "froe/Cost/Compute.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace froe {

namespace {
// Between max(a, b), full overlap, and a + b, none. Fitted to n x 4096 x 4096 in fp32 with n from 1 to 32 (see docs of
// matmulSeconds).
constexpr double kOverlap = 1.3;

double overlapped(double computeSeconds, double trafficSeconds) {
  return std::pow(std::pow(computeSeconds, kOverlap) + std::pow(trafficSeconds, kOverlap), 1 / kOverlap);
}
} // namespace

int64_t elementBytes(std::string_view type) {
  if (type == "index")
    return 8;
  size_t digit = type.find_first_of("0123456789");
  if (digit == std::string_view::npos || digit == 0)
    return 0;
  int64_t bits = 0;
  std::from_chars(type.data() + digit, type.data() + type.size(), bits);
  std::string_view prefix = type.substr(0, digit);
  bool known = prefix == "f" || prefix == "bf" || prefix == "i" || prefix == "ui" || prefix == "si" || prefix == "tf";
  return known && bits > 0 ? (bits + 7) / 8 : 0;
}

double matmulSeconds(const Cluster &cluster, const MatmulShape &shape, std::string_view elementType) {
  double m = double(shape.m), n = double(shape.n), k = double(shape.k), batch = double(shape.batch);
  double rate = cluster.matmulRates(elementType).flopsPerSecond(shape.m, shape.n, shape.k);
  double bytes = batch * (m * k + k * n + m * n) * double(elementBytes(elementType));
  return overlapped(2 * m * n * k * batch / rate, bytes / cluster.memoryBytesPerSecond());
}

double streamSeconds(const Cluster &cluster, int64_t bytes) {
  int64_t cached = std::min(bytes, cluster.device.cacheBytes);
  return double(cached) / cluster.device.cacheBytesPerSecond + double(bytes - cached) / cluster.memoryBytesPerSecond();
}

double kernelSeconds(const Cluster &cluster, double flops, double flopsPerSecond, int64_t bytes) {
  return overlapped(flops / flopsPerSecond, streamSeconds(cluster, bytes));
}

} // namespace froe
