#include "froe/Planning/Meshes.h"
#include "froe/Cost/Collectives.h"

#include <algorithm>
#include <set>

namespace froe {

namespace {
constexpr const char *kNames[] = {"x", "y", "z", "w"};

/// Ordered factorisations of `rest` into `axes` factors of at least 2, appended to `sizes`.
void factorise(int64_t rest, int axes, std::vector<int64_t> &sizes, std::vector<std::vector<int64_t>> &found) {
  if (axes == 1) {
    found.push_back(sizes);
    found.back().push_back(rest);
    return;
  }
  for (int64_t size = 2; size <= rest / 2; ++size) {
    if (rest % size != 0)
      continue;
    sizes.push_back(size);
    factorise(rest / size, axes - 1, sizes, found);
    sizes.pop_back();
  }
}

Mesh meshOf(const std::vector<int64_t> &sizes) {
  Mesh mesh;
  for (int64_t size : sizes)
    mesh.axes.push_back({kNames[mesh.axes.size()], size});
  return mesh;
}
} // namespace

// P11.
std::vector<Mesh> meshesFor(const Cluster &cluster, int64_t devices, int maxAxes) {
  std::vector<Mesh> meshes;
  std::set<std::vector<std::vector<int64_t>>> known;
  for (int axes = 1; axes <= maxAxes; ++axes) {
    std::vector<std::vector<int64_t>> found;
    std::vector<int64_t> sizes;
    factorise(devices, axes, sizes, found);
    for (const std::vector<int64_t> &factors : found) {
      Mesh mesh = meshOf(factors);
      std::vector<std::vector<int64_t>> parts;
      for (AxisIndex axis = 0; axis < axes; ++axis)
        parts.push_back(levelParts(cluster, mesh, {axis}));
      std::ranges::sort(parts);
      if (known.insert(parts).second)
        meshes.push_back(std::move(mesh));
    }
  }
  return meshes;
}

} // namespace froe
