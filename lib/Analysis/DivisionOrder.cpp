#include "DivisionOrder.h"

#include "froe/Planning/Meshes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace froe {

namespace {
/// Whether neighbouring axes of `fine` can be joined so that `coarse` results.
bool refines(const Mesh &fine, const Mesh &coarse) {
  size_t axis = 0;
  for (const MeshAxis &wanted : coarse.axes) {
    int64_t size = 1;
    while (size < wanted.size && axis < fine.axes.size())
      size *= fine.axes[axis++].size;
    if (size != wanted.size)
      return false;
  }
  return axis == fine.axes.size();
}
} // namespace

double DivisionOrder::distanceFromNode(const Mesh &mesh) const {
  int64_t node = cluster.levels.empty() ? cluster.devicesPerHost() : cluster.levels.front().devices;
  return std::abs(std::log(double(mesh.axes.back().size) / double(std::max<int64_t>(node, 1))));
}

Mesh DivisionOrder::likelyMesh(int64_t devices) const {
  std::vector<Mesh> meshes = meshesFor(cluster, devices, 2);
  return *std::ranges::min_element(meshes, {}, [&](const Mesh &mesh) {
    return std::pair(mesh.axisCount() == 1 && devices > 3, distanceFromNode(mesh));
  });
}

double DivisionOrder::expectedSeconds(const Division &division) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kOtherMesh = 1.2;
  double joined = kInfinity, other = kInfinity;
  for (const auto &[coarse, seconds] : known) {
    if (coarse.stages != division.stages || coarse.microbatches != division.microbatches)
      continue;
    double &least = refines(division.mesh, coarse.mesh) ? joined : other;
    least = std::min(least, seconds);
  }
  return std::min(joined, kOtherMesh * other);
}

} // namespace froe
