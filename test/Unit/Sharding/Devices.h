#pragma once

#include "froe/Sharding/ReshardPath.h"

#include <cstdint>
#include <vector>

namespace froe::test {

/// A dense row-major array.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data;

  explicit Array(std::vector<int64_t> shape, double fill = 0);
  double &at(std::span<const int64_t> index);
  double at(std::span<const int64_t> index) const;
  /// Calls `visit` with each index in turn.
  template <typename F> void forEach(F &&visit) const {
    std::vector<int64_t> index(shape.size(), 0);
    for (size_t i = 0; i < data.size(); ++i) {
      visit(std::span<const int64_t>(index));
      for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];)
        index[d] = 0;
    }
  }
};

/// All devices of a mesh, each with its own stored block of one tensor. Padding holds garbage that differs everywhere.
/// Steps are executed as the real collectives do it, with nothing but stored blocks and group members.
struct Devices {
  Mesh mesh;
  std::vector<int64_t> shape; ///< of the global tensor
  Sharding sharding;
  std::vector<Array> blocks;

  static Devices distribute(const Array &global, const Sharding &sharding, const Mesh &mesh);
  void execute(const ReshardStep &step);
  /// Empty if every device's valid part is right (partial terms: if they combine to it), else what is wrong where.
  std::string compare(const Array &global) const;

private:
  Array gathered(int64_t device, const ReshardStep &step, int dim) const;
  Array reduced(int64_t device, const ReshardStep &step) const;
  Array exchanged(int64_t device, const ReshardStep &step) const;
};

/// All shardings of a tensor of `rank` dims, partial ones of kind `kind` included.
std::vector<Sharding> allShardings(const Mesh &mesh, int rank, ReduceKind kind = ReduceKind::Sum);

} // namespace froe::test
