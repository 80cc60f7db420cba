#include "froe/Cost/Compute.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace froe {

namespace {
constexpr double kOverlap = 0.5; // of kernels that are no products

double overlapped(double computeSeconds, double trafficSeconds, double overlap) {
  return std::max(computeSeconds, trafficSeconds) + (1 - overlap) * std::min(computeSeconds, trafficSeconds);
}

double flopsOf(const MatmulShape &shape) {
  return 2.0 * double(shape.m) * double(shape.n) * double(shape.k) * double(shape.batch);
}

double trafficSeconds(const Cluster &cluster, const MatmulShape &shape, std::string_view elementType) {
  int64_t bytes = shape.batch * elementBytes(elementType);
  int64_t left = shape.readsLeft ? shape.m * shape.k * bytes : 0;
  int64_t right = shape.readsRight ? shape.k * shape.n * bytes : 0;
  int64_t result = shape.writesResult ? shape.m * shape.n * bytes : 0;
  if (!shape.weight)
    return streamSeconds(cluster, left + right + result);
  return double(right) / cluster.memoryBytesPerSecond() + streamSeconds(cluster, left + result);
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
  MatmulRates::Point point = cluster.matmulRates(elementType).at(shape.m, shape.n, shape.k);
  return overlapped(flopsOf(shape) / point.flopsPerSecond, trafficSeconds(cluster, shape, elementType), point.overlap);
}

MatmulRates::Point fitMatmul(const Cluster &cluster, const MatmulTimes &times, std::string_view elementType) {
  MatmulShape cached{times.rows, times.cachedSide, times.cachedSide},
      large{times.rows, times.streamedSide, times.streamedSide};
  MatmulRates::Point point{times.rows, flopsOf(cached) / times.cachedSeconds, 1};
  double compute = flopsOf(large) / point.flopsPerSecond, traffic = trafficSeconds(cluster, large, elementType);
  double visible = times.streamedSeconds - std::max(compute, traffic);
  if (visible >= std::min(compute, traffic)) {
    point.overlap = 0;
    point.flopsPerSecond = flopsOf(large) / std::max(times.streamedSeconds - traffic, 0.1 * times.streamedSeconds);
  } else if (visible > 0) {
    point.overlap = 1 - visible / std::min(compute, traffic);
  }
  return point;
}

double streamSeconds(const Cluster &cluster, int64_t bytes) {
  int64_t cached = std::min(bytes, cluster.device.cacheBytes);
  return double(cached) / cluster.device.cacheBytesPerSecond + double(bytes - cached) / cluster.memoryBytesPerSecond();
}

double kernelSeconds(const Cluster &cluster, double flops, double flopsPerSecond, int64_t bytes) {
  return overlapped(flops / flopsPerSecond, streamSeconds(cluster, bytes), kOverlap);
}

} // namespace froe
