#pragma once

#include "froe/Sharding/Mesh.h"

#include <compare>
#include <optional>
#include <span>

namespace froe {

/// How unreduced copies of a value combine.
enum class ReduceKind { Sum, Product, Max, Min, And, Or };
inline constexpr ReduceKind kReduceKinds[] = {ReduceKind::Sum, ReduceKind::Product, ReduceKind::Max,
                                              ReduceKind::Min, ReduceKind::And,     ReduceKind::Or};
std::string_view name(ReduceKind kind);
std::optional<ReduceKind> parseReduceKind(std::string_view text);

/// How one tensor is laid out over a mesh.
///
/// `dims[d]` are the axes that cut dim d, major first; a dim of size n over k blocks is cut into blocks of ceil(n/k),
/// so the last devices may hold fewer elements or none. Over the axes in `partial` every device holds a term of the
/// value, to be combined by `partialKind`. Over all other axes the tensor is replicated. An axis occurs at most once.
///
///   mesh x=2, y=4;  [{"x"}, {}], partial<sum>{"y"}:  rows halved over x, and each of 4 devices holds a summand
struct Sharding {
  std::vector<AxisList> dims;
  AxisList partial;                         ///< ascending: the order of terms has no meaning
  ReduceKind partialKind = ReduceKind::Sum; ///< Sum where nothing is partial

  bool operator==(const Sharding &) const = default;
  auto operator<=>(const Sharding &) const = default;

  static Sharding replicated(int64_t rank) { return {std::vector<AxisList>(rank), {}, ReduceKind::Sum}; }
  bool isReplicated() const;
  bool isPartial() const { return !partial.empty(); }

  /// Why this is no sharding of a tensor of `rank` dims on `mesh` (axis out of range or used twice), if it is none.
  std::optional<std::string> check(const Mesh &mesh, int64_t rank) const;
  /// `[{"x"}, {}]`, with `, partial<sum>{"y"}` behind it where it is partial.
  std::string str(const Mesh &mesh) const;
};

/// A half-open range of indices [begin, end) of one dim of the global tensor.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Interval &) const = default;
};

/// Elements that every device stores along a dim of size `size` cut into `blocks`: ceil(size / blocks), equal on all
/// devices (the last ones are padded).
int64_t localSize(int64_t size, int64_t blocks);
/// The shape that every device stores.
std::vector<int64_t> localShape(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh);
/// The valid global indices of each dim on `device`: empty intervals where it holds nothing.
std::vector<Interval> shard(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh, int64_t device);
/// Whether some device stores padding in dim `dim`.
bool isUneven(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh, int64_t dim);

} // namespace froe
