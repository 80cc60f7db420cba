#include "Devices.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe::test {

namespace {
int64_t offsetOf(std::span<const int64_t> shape, std::span<const int64_t> index) {
  int64_t offset = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    offset = offset * shape[d] + index[d];
  return offset;
}

int64_t countOf(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// A new value at each call, far from any real one.
double garbage() {
  static double value = 1e6;
  return value += 17;
}

double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Product:
    return a * b;
  case ReduceKind::Max:
  case ReduceKind::Or:
    return std::max(a, b);
  case ReduceKind::Min:
  case ReduceKind::And:
    return std::min(a, b);
  }
  return 0;
}

Array garbageOf(std::vector<int64_t> shape) {
  Array array(std::move(shape));
  for (double &value : array.data)
    value = garbage();
  return array;
}

/// Elements [begin, begin + size) of `dim`; what lies outside is garbage.
Array cut(const Array &array, int dim, int64_t begin, int64_t size) {
  std::vector<int64_t> shape = array.shape;
  shape[dim] = size;
  Array part = garbageOf(shape);
  part.forEach([&](std::span<const int64_t> index) {
    std::vector<int64_t> source(index.begin(), index.end());
    source[dim] += begin;
    if (source[dim] < array.shape[dim])
      part.at(index) = array.at(source);
  });
  return part;
}

/// Equal parts side by side along `dim`, then brought to `size`.
Array join(const std::vector<Array> &parts, int dim, int64_t size) {
  int64_t each = parts[0].shape[dim];
  std::vector<int64_t> shape = parts[0].shape;
  shape[dim] = each * static_cast<int64_t>(parts.size());
  Array whole(shape);
  whole.forEach([&](std::span<const int64_t> index) {
    std::vector<int64_t> source(index.begin(), index.end());
    source[dim] %= each;
    whole.at(index) = parts[index[dim] / each].at(source);
  });
  return cut(whole, dim, 0, size);
}
} // namespace

Array::Array(std::vector<int64_t> dims, double fill) : shape(std::move(dims)), data(countOf(shape), fill) {}
double &Array::at(std::span<const int64_t> index) { return data[offsetOf(shape, index)]; }
double Array::at(std::span<const int64_t> index) const { return data[offsetOf(shape, index)]; }

Devices Devices::distribute(const Array &global, const Sharding &sharding, const Mesh &mesh) {
  Devices devices{mesh, global.shape, sharding, {}};
  for (int64_t device = 0; device < mesh.deviceCount(); ++device) {
    Array block = garbageOf(localShape(global.shape, sharding, mesh));
    std::vector<Interval> valid = shard(global.shape, sharding, mesh, device);
    int64_t term = mesh.blockIndex(device, sharding.partial), terms = mesh.blocks(sharding.partial);
    block.forEach([&](std::span<const int64_t> index) {
      std::vector<int64_t> source(index.begin(), index.end());
      for (size_t d = 0; d < source.size(); ++d)
        if ((source[d] += valid[d].begin) >= valid[d].end)
          return;
      double value = global.at(source);
      // Terms that combine to the value under sum, and under max, and differ between devices.
      if (sharding.isPartial() && sharding.partialKind == ReduceKind::Sum)
        value =
            term + 1 < terms ? value * static_cast<double>(term + 3) : value * (1 - (terms - 1) * (terms + 4) / 2.0);
      else if (sharding.isPartial() && term + 1 < terms)
        value -= static_cast<double>(term + 1);
      block.at(index) = value;
    });
    devices.blocks.push_back(std::move(block));
  }
  return devices;
}

Array Devices::gathered(int64_t device, const ReshardStep &step, int dim) const {
  std::vector<Array> parts;
  for (int64_t peer : mesh.group(device, step.axes))
    parts.push_back(blocks[peer]);
  return join(parts, dim, localSize(shape[dim], mesh.blocks(step.result.dims[dim])));
}

Array Devices::reduced(int64_t device, const ReshardStep &step) const {
  std::vector<int64_t> group = mesh.group(device, step.axes);
  Array total = blocks[group[0]];
  for (size_t i = 1; i < group.size(); ++i)
    for (size_t k = 0; k < total.data.size(); ++k)
      total.data[k] = combine(step.reduce, total.data[k], blocks[group[i]].data[k]);
  return total;
}

Array Devices::exchanged(int64_t device, const ReshardStep &step) const {
  int64_t mine = mesh.blockIndex(device, step.axes);
  int64_t size = localSize(shape[step.dim], mesh.blocks(step.result.dims[step.dim]));
  std::vector<Array> parts;
  for (int64_t peer : mesh.group(device, step.axes))
    parts.push_back(cut(blocks[peer], step.dim, mine * size, size));
  return join(parts, step.fromDim, localSize(shape[step.fromDim], mesh.blocks(step.result.dims[step.fromDim])));
}

void Devices::execute(const ReshardStep &step) {
  std::vector<Array> next;
  for (int64_t device = 0; device < mesh.deviceCount(); ++device) {
    auto mine = [&](const Array &array) {
      int64_t size = localSize(shape[step.dim], mesh.blocks(step.result.dims[step.dim]));
      return cut(array, step.dim, mesh.blockIndex(device, step.axes) * size, size);
    };
    switch (step.kind) {
    case ReshardStep::Kind::AllGather:
      next.push_back(gathered(device, step, step.dim));
      break;
    case ReshardStep::Kind::AllReduce:
      next.push_back(reduced(device, step));
      break;
    case ReshardStep::Kind::ReduceScatter:
      next.push_back(mine(reduced(device, step)));
      break;
    case ReshardStep::Kind::AllToAll:
      next.push_back(exchanged(device, step));
      break;
    case ReshardStep::Kind::Slice:
      next.push_back(mine(blocks[device]));
      break;
    }
  }
  blocks = std::move(next);
  sharding = step.result;
}

std::string Devices::compare(const Array &global) const {
  for (int64_t device = 0; device < mesh.deviceCount(); ++device) {
    if (blocks[device].shape != localShape(shape, sharding, mesh))
      return fmt::format("device {}: stored shape [{}]", device, fmt::join(blocks[device].shape, ", "));
    ReshardStep all{
        .kind = ReshardStep::Kind::AllReduce, .axes = sharding.partial, .reduce = sharding.partialKind, .result = {}};
    Array value = reduced(device, all);
    std::vector<Interval> valid = shard(shape, sharding, mesh, device);
    std::string wrong;
    global.forEach([&](std::span<const int64_t> index) {
      std::vector<int64_t> local(index.begin(), index.end());
      for (size_t d = 0; d < local.size(); ++d) {
        if (index[d] < valid[d].begin || index[d] >= valid[d].end)
          return;
        local[d] -= valid[d].begin;
      }
      if (value.at(local) != global.at(index))
        wrong = fmt::format("device {} at [{}]: {} instead of {}", device, fmt::join(index, ", "), value.at(local),
                            global.at(index));
    });
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

std::vector<Sharding> allShardings(const Mesh &mesh, int rank, ReduceKind kind) {
  std::vector<Sharding> all = {Sharding::replicated(rank)};
  for (AxisIndex axis = 0; axis < mesh.axisCount(); ++axis) {
    std::vector<Sharding> next;
    for (const Sharding &base : all) {
      next.push_back(base);
      next.push_back(base);
      next.back().partial.push_back(axis);
      next.back().partialKind = kind;
      for (int d = 0; d < rank; ++d)
        for (size_t position = 0; position <= base.dims[d].size(); ++position) {
          next.push_back(base);
          next.back().dims[d].insert(next.back().dims[d].begin() + position, axis);
        }
    }
    all = std::move(next);
  }
  return all;
}

} // namespace froe::test
