// A rank's memory on its GPU: allocated once, before anything runs, and filled with weights.
#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace froe::cuda {

namespace {

constexpr size_t kAlignment = 256, kPieceBytes = 32 << 20;

double gibibytes(size_t bytes) { return double(bytes) / double(1 << 30); }

} // namespace

void Gpu::requireFree(const std::vector<std::pair<const char *, size_t>> &planned) {
  size_t available = 0, total = 0, bytes = 0;
  std::vector<std::string> parts;
  for (auto [what, size] : planned) {
    bytes += size;
    if (size != 0)
      parts.push_back(fmt::format("{} {}", what, size));
  }
  check(driver.cuMemGetInfo_v2(&available, &total), "asking for free memory");
  if (bytes > available)
    fail(1, fmt::format(
                "rank {} needs {:.2f} GiB of its GPU's memory ({} bytes: {}), {:.2f} GiB are free ({} bytes of {})",
                host.rank, gibibytes(bytes), bytes, fmt::join(parts, ", "), gibibytes(available), available, total));
}

Address Gpu::allocate(size_t bytes, const char *what) {
  Address address = 0;
  if (bytes == 0)
    return 0;
  DriverResult result = driver.cuMemAlloc_v2(&address, bytes);
  if (result == kOutOfMemory)
    fail(1, fmt::format("rank {}: {} bytes of its GPU's memory for {} cannot be had, though so many were free",
                        host.rank, bytes, what));
  check(result, what);
  allocations.push_back(address);
  return address;
}

/// By NCCL, where there are other ranks: then it can read and write the arena in place.
void Gpu::makeArena() {
  size_t bytes = host.program->arena_bytes;
  void *memory = nullptr;
  if (bytes != 0 && host.rank_count > 1)
    if (auto loaded = loadNccl(); loaded && loaded->registersMemory()) {
      if (loaded->ncclMemAlloc(&memory, bytes) == kNcclSuccess)
        nccl = *loaded, arenaOfNccl = memory;
    }
  arenaMemory = arenaOfNccl ? Address(arenaOfNccl) : allocate(bytes, "the arena");
}

/// Where parts go one behind the other, counted from 0; `total` becomes the end.
std::vector<Address> Gpu::place(size_t &total, const std::vector<std::pair<const void *, uint64_t>> &parts) {
  std::vector<Address> places;
  for (auto [data, bytes] : parts) {
    places.push_back(total);
    total = (total + bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return places;
}

std::vector<std::pair<const void *, uint64_t>> Gpu::weightsOfHost() const {
  const froe_program &program = *host.program;
  std::vector<std::pair<const void *, uint64_t>> weights;
  for (int32_t i = 0; i < program.weight_count; ++i) {
    const char *packing = nullptr;
    const void *data = host.weight(host.context, i, &packing);
    if (std::strcmp(packing, "plain") != 0)
      fail(1, fmt::format("weight '{}' is packed for a CPU ('{}'): compile the model again", program.weights[i].name,
                          packing));
    weights.push_back({data, program.weights[i].bytes});
  }
  return weights;
}

void Gpu::makeMemory() {
  const froe_program &program = *host.program;
  std::vector<std::pair<const void *, uint64_t>> weights = weightsOfHost(), constants;
  for (int32_t i = 0; i < program.constant_count; ++i)
    constants.push_back({program.constants[i].data, program.constants[i].bytes});
  size_t total = 0;
  weightPlaces = place(total, weights);
  constantPlaces = place(total, constants);
  size_t steps = size_t(program.step_count), wordBytes = (2 * steps + 1) * sizeof(uint32_t);
  requireFree({{"arena", program.arena_bytes}, {"weights and constants", total}, {"faults", wordBytes}});
  makeArena();
  constantMemory = allocate(total, "weights and constants");
  words = allocate(wordBytes, "faults");
  for (Address &address : weightPlaces)
    address += constantMemory;
  for (Address &address : constantPlaces)
    address += constantMemory;
  void *pinned = nullptr;
  check(driver.cuMemHostAlloc(&pinned, (steps + 2) * sizeof(uint32_t), kHostAllocPortable), "allocating pinned memory");
  faults = static_cast<uint32_t *>(pinned);
  std::memset(faults, 0, (steps + 2) * sizeof(uint32_t));
  uploadParts(weights, weightPlaces);
  uploadParts(constants, constantPlaces);
  std::vector<uint32_t> numbers(steps + 1); // behind the faults, for marks
  std::iota(numbers.begin(), numbers.end(), 0u);
  uploadParts({{numbers.data(), numbers.size() * sizeof(uint32_t)}}, {words + steps * sizeof(uint32_t)});
}

/// Through two pinned pieces: one is filled (from a mapped file, which is read then) while the other is copied.
void Gpu::uploadParts(const std::vector<std::pair<const void *, uint64_t>> &parts, const std::vector<Address> &places) {
  size_t largest = 0;
  for (auto [data, bytes] : parts)
    largest = std::max(largest, size_t(bytes));
  if (largest == 0)
    return;
  size_t pieceBytes = std::min(largest, kPieceBytes);
  void *pieces[2];
  Event copied[2];
  for (int i = 0; i < 2; ++i) {
    check(driver.cuMemHostAlloc(&pieces[i], pieceBytes, kHostAllocPortable), "allocating pinned memory");
    check(driver.cuEventCreate(&copied[i], kEventDisableTiming), "making an event");
  }
  int turn = 0;
  for (size_t part = 0; part < parts.size(); ++part)
    for (size_t begin = 0; begin < parts[part].second; begin += pieceBytes, turn ^= 1) {
      size_t bytes = std::min(pieceBytes, size_t(parts[part].second) - begin);
      check(driver.cuEventSynchronize(copied[turn]), "copying weights");
      std::memcpy(pieces[turn], static_cast<const std::byte *>(parts[part].first) + begin, bytes);
      check(driver.cuMemcpyHtoDAsync_v2(places[part] + begin, pieces[turn], bytes, side), "copying weights");
      check(driver.cuEventRecord(copied[turn], side), "copying weights");
    }
  check(driver.cuStreamSynchronize(side), "copying weights");
  for (int i = 0; i < 2; ++i) {
    driver.cuMemFreeHost(pieces[i]);
    driver.cuEventDestroy_v2(copied[i]);
  }
}

void *Gpu::staging(uint64_t offset, uint64_t bytes) {
  void *&memory = stagings[{offset, bytes}];
  if (!memory)
    check(driver.cuMemHostAlloc(&memory, std::max<size_t>(bytes, 1), kHostAllocPortable), "allocating pinned memory");
  return memory;
}

void Gpu::upload(uint64_t offset, uint64_t bytes) {
  if (bytes != 0)
    check(driver.cuMemcpyHtoDAsync_v2(arenaMemory + offset, staging(offset, bytes), bytes, compute),
          "copying an input");
}

void Gpu::download(uint64_t offset, uint64_t bytes) {
  if (bytes != 0)
    check(driver.cuMemcpyDtoHAsync_v2(staging(offset, bytes), arenaMemory + offset, bytes, compute),
          "copying an output");
}

void Gpu::freeMemory() {
  for (auto [key, memory] : stagings)
    driver.cuMemFreeHost(memory);
  driver.cuMemFreeHost(faults);
  for (Address address : allocations)
    driver.cuMemFree_v2(address);
  if (arenaOfNccl)
    nccl->ncclMemFree(arenaOfNccl);
}

} // namespace froe::cuda
