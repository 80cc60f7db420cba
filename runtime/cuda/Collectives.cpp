// froe_rt.h's collectives from NCCL's: tensors that are cut along an inner dim, or unevenly, are packed block by block
// with copies of rows; reductions that NCCL lacks, or does not do as the design wants (half precision in f32, NaN in
// max and min, bit operations), are an exchange of terms and a kernel of ours that combines them in the order of ranks.
#include "runtime/core/ElementType.h"
#include "runtime/core/Mesh.h"
#include "runtime/cuda/Communicators.h"

#include <algorithm>
#include <fmt/format.h>

namespace froe::cuda {

namespace {

using rt::elementType;
using rt::Part;
using rt::partOf;

struct NcclKind {
  NcclType type;
  NcclReduction reduction;
};

/// Bools are told as bytes: sum, max and or are "max", the others "min".
std::optional<NcclKind> ncclKind(froe_reduce reduce, froe_type type) {
  constexpr std::pair<froe_type, NcclType> types[] = {{FROE_F32, kNcclF32}, {FROE_F64, kNcclF64}, {FROE_I8, kNcclI8},
                                                      {FROE_I32, kNcclI32}, {FROE_I64, kNcclI64}, {FROE_U8, kNcclU8},
                                                      {FROE_U32, kNcclU32}, {FROE_U64, kNcclU64}};
  if (type == FROE_BOOL)
    return NcclKind{kNcclU8, reduce == FROE_SUM || reduce == FROE_MAX || reduce == FROE_OR ? kNcclMax : kNcclMin};
  auto found = std::ranges::find(types, type, &std::pair<froe_type, NcclType>::first);
  bool isFloat = type == FROE_F32 || type == FROE_F64;
  if (found == std::end(types) || reduce >= FROE_AND || (isFloat && reduce >= FROE_MAX))
    return std::nullopt;
  return NcclKind{found->second, NcclReduction(reduce)};
}

bool canReduce(froe_reduce reduce, froe_type type) {
  bool isFloat = type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16;
  return !(isFloat && reduce >= FROE_AND);
}

size_t aligned(int64_t bytes) { return (size_t(bytes) + 255) / 256 * 256; }

/// Opens a collective, and closes it.
struct Scope {
  Scope(Gpu &gpu, int32_t step) : gpu(gpu), step(step) { gpu.beginCommunication(step); }
  ~Scope() { gpu.endCommunication(step); }
  Gpu &gpu;
  int32_t step;
};

} // namespace

void Collectives::reduceTerms(const Group &group, froe_reduce reduce, froe_type type, Address terms, int64_t stride,
                              int64_t count, Address out) {
  ReduceArguments arguments{terms, out, group.size, stride, count, type, reduce};
  if (type == FROE_BOOL)
    arguments.reduce = ncclKind(reduce, type)->reduction == kNcclMax ? FROE_OR : FROE_AND;
  gpu.launchBuiltIn(BuiltIn::Reduce, &arguments, sizeof arguments, count, gpu.communication);
}

int64_t Collectives::allReduce(int32_t step, const froe_group &ranks, froe_reduce reduce, froe_type type, int64_t count,
                               Address in, Address out) {
  if (!canReduce(reduce, type))
    gpu.fail(3, fmt::format("rank {}: this reduction is not defined for {}", gpu.host.rank, elementType(type).name));
  Group group = communicators.group(ranks);
  Scope scope(gpu, step);
  int64_t bytes = elementType(type).bytes, n = group.size;
  if (n == 1) {
    gpu.copyRows({out, 0}, {in, 0}, size_t(count * bytes), 1, gpu.communication);
    return 0;
  }
  int64_t chunk = (count + n - 1) / n;
  auto length = [&](int64_t rank) { return std::clamp<int64_t>(count - rank * chunk, 0, chunk); };
  int64_t sent = (count - length(group.order)) * bytes + length(group.order) * bytes * (n - 1);
  if (auto kind = ncclKind(reduce, type)) {
    communicators.allReduce(group, in, out, size_t(count), kind->type, kind->reduction);
    return sent;
  }
  // Terms of my chunk [n][chunk], my chunk's sums, and everybody's sums [n][chunk].
  size_t termBytes = aligned(n * chunk * bytes), sumBytes = aligned(chunk * bytes);
  Address terms = gpu.scratch(2 * termBytes + sumBytes), sums = terms + termBytes, all = sums + sumBytes;
  std::vector<Communicators::Part> sends, receives;
  for (int64_t rank = 0; rank < n; ++rank) {
    sends.push_back({in + Address(rank * chunk * bytes), size_t(length(rank) * bytes)});
    receives.push_back({terms + Address(rank * chunk * bytes), size_t(length(group.order) * bytes)});
  }
  communicators.exchange(group, sends, receives);
  reduceTerms(group, reduce, type, terms, chunk, length(group.order), sums);
  communicators.allGather(group, sums, all, size_t(chunk * bytes));
  gpu.copyRows({out, 0}, {all, 0}, size_t(count * bytes), 1, gpu.communication);
  return sent;
}

int64_t Collectives::allGather(int32_t step, const froe_group &ranks, froe_type type, int64_t outer, int64_t size,
                               int64_t inner, Address in, Address out) {
  Group group = communicators.group(ranks);
  Scope scope(gpu, step);
  int64_t row = inner * elementType(type).bytes, n = group.size;
  Part own = partOf(size, n, group.position);
  size_t blockBytes = size_t(outer * own.block * row);
  Address blocks = in;
  if (n > 1) {
    blocks = gpu.scratch(size_t(n) * blockBytes);
    communicators.allGather(group, in, blocks, blockBytes);
  }
  for (int64_t position = 0; position < n; ++position) {
    Part part = partOf(size, n, position);
    Address from = blocks + Address(group.orderOf[size_t(position)]) * blockBytes;
    gpu.copyRows({out + Address(part.begin * row), size_t(size * row)}, {from, size_t(part.block * row)},
                 size_t(part.valid * row), size_t(outer), gpu.communication);
  }
  return outer * own.valid * row * (n - 1);
}

int64_t Collectives::reduceScatter(int32_t step, const froe_group &ranks, froe_reduce reduce, froe_type type,
                                   int64_t outer, int64_t size, int64_t inner, Address in, Address out) {
  if (!canReduce(reduce, type))
    gpu.fail(3, fmt::format("rank {}: this reduction is not defined for {}", gpu.host.rank, elementType(type).name));
  Group group = communicators.group(ranks);
  Scope scope(gpu, step);
  int64_t row = inner * elementType(type).bytes, n = group.size;
  Part own = partOf(size, n, group.position);
  int64_t blockCount = outer * own.block * inner, blockBytes = outer * own.block * row;
  size_t place = aligned(n * blockBytes);
  Address packed = gpu.scratch(2 * place), terms = packed + place;
  for (int64_t position = 0; position < n; ++position) { // what is padding need not be anything
    Part part = partOf(size, n, position);
    Address to = packed + Address(group.orderOf[size_t(position)] * blockBytes);
    gpu.copyRows({to, size_t(part.block * row)}, {in + Address(part.begin * row), size_t(size * row)},
                 size_t(part.valid * row), size_t(outer), gpu.communication);
  }
  if (auto kind = ncclKind(reduce, type); kind && n > 1) {
    communicators.reduceScatter(group, packed, out, size_t(blockCount), kind->type, kind->reduction);
  } else if (n > 1) {
    std::vector<Communicators::Part> sends, receives;
    for (int64_t rank = 0; rank < n; ++rank) {
      sends.push_back({packed + Address(rank * blockBytes), size_t(blockBytes)});
      receives.push_back({terms + Address(rank * blockBytes), size_t(blockBytes)});
    }
    communicators.exchange(group, sends, receives);
    reduceTerms(group, reduce, type, terms, blockCount, blockCount, out);
  } else {
    gpu.copyRows({out, 0}, {packed, 0}, size_t(blockBytes), 1, gpu.communication);
  }
  gpu.clearRows({out + Address(own.valid * row), size_t(own.block * row)}, size_t((own.block - own.valid) * row),
                size_t(outer), gpu.communication);
  return outer * (size - own.valid) * row;
}

int64_t Collectives::allToAll(int32_t step, const froe_group &ranks, froe_type type, bool gathersFirst, int64_t outer,
                              int64_t first, int64_t middle, int64_t second, int64_t inner, Address in, Address out) {
  Group group = communicators.group(ranks);
  Scope scope(gpu, step);
  int64_t row = inner * elementType(type).bytes, n = group.size;
  Part ownFirst = partOf(first, n, group.position), ownSecond = partOf(second, n, group.position);
  // Between any two ranks: [outer][block of first][middle][block of second][inner].
  int64_t lines = outer * ownFirst.block * middle, line = ownSecond.block * row;
  int64_t slab = ownFirst.block * middle * line, blockBytes = outer * slab;
  size_t place = aligned(n * blockBytes);
  Address packed = gpu.scratch(2 * place), received = packed + place;
  std::vector<Communicators::Part> sends(static_cast<size_t>(n)), receives(static_cast<size_t>(n));
  for (int64_t position = 0; position < n; ++position) {
    int64_t peer = group.orderOf[size_t(position)];
    Address to = packed + Address(peer * blockBytes);
    Part theirFirst = partOf(first, n, position), theirSecond = partOf(second, n, position);
    gpu.clearRows({to, size_t(blockBytes)}, size_t(blockBytes), 1, gpu.communication); // padding is zero
    if (gathersFirst)
      gpu.copyRows({to, size_t(line)}, {in + Address(theirSecond.begin * row), size_t(second * row)},
                   size_t(theirSecond.valid * row), size_t(lines), gpu.communication);
    else
      gpu.copyRows({to, size_t(slab)}, {in + Address(theirFirst.begin * middle * line), size_t(first * middle * line)},
                   size_t(theirFirst.valid * middle * line), size_t(outer), gpu.communication);
    sends[size_t(peer)] = {to, size_t(blockBytes)};
    receives[size_t(peer)] = {received + Address(peer * blockBytes), size_t(blockBytes)};
  }
  if (n > 1)
    communicators.exchange(group, sends, receives);
  else
    received = packed;
  for (int64_t position = 0; position < n; ++position) {
    Address from = received + Address(group.orderOf[size_t(position)] * blockBytes);
    Part theirFirst = partOf(first, n, position), theirSecond = partOf(second, n, position);
    if (gathersFirst)
      gpu.copyRows({out + Address(theirFirst.begin * middle * line), size_t(first * middle * line)},
                   {from, size_t(slab)}, size_t(theirFirst.valid * middle * line), size_t(outer), gpu.communication);
    else
      gpu.copyRows({out + Address(theirSecond.begin * row), size_t(second * row)}, {from, size_t(line)},
                   size_t(theirSecond.valid * row), size_t(lines), gpu.communication);
  }
  return gathersFirst ? outer * ownFirst.valid * middle * (second - ownSecond.valid) * row
                      : outer * (first - ownFirst.valid) * middle * ownSecond.valid * row;
}

} // namespace froe::cuda
