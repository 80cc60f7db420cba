#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace froe {

/// Index of an axis in `Mesh::axes`.
using AxisIndex = int;

/// Mesh axes in order, the major one first. `{0, 1}` on a 2x4 mesh cuts into 8 blocks; device (x, y) holds block 4x +
/// y.
using AxisList = std::vector<AxisIndex>;

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis &) const = default;
};

/// The logical grid of devices that one program runs on. Devices are numbered row-major: the last axis varies fastest.
struct Mesh {
  std::vector<MeshAxis> axes;

  bool operator==(const Mesh &) const = default;

  int64_t deviceCount() const;
  int axisCount() const { return static_cast<int>(axes.size()); }
  /// Number of blocks that cutting by `list` makes: the product of the sizes.
  int64_t blocks(const AxisList &list) const;
  /// Position of `device` along one axis.
  int64_t coordinate(int64_t device, AxisIndex axis) const;
  /// Number of the block that `device` holds when a dim is cut by `list`: its coordinates combined, major first.
  int64_t blockIndex(int64_t device, const AxisList &list) const;
  /// Devices that differ from `device` only along `list`, in block order. A collective over `list` runs in this group.
  std::vector<int64_t> group(int64_t device, const AxisList &list) const;
  /// Index of the axis called `name`, or -1.
  AxisIndex find(std::string_view name) const;

  /// Reads `2x4` (axes are named x, y, z, w) or `data=2,model=4`. Sizes are at least 1, names are distinct identifiers,
  /// at most 4 axes, at most 2^20 devices; the error says what was expected and what was found.
  static std::expected<Mesh, std::string> parse(std::string_view text);
  std::string str() const;
};

} // namespace froe
