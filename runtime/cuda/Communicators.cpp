#include "runtime/cuda/Communicators.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace froe::cuda {

namespace {

void *pointer(Address address) { return reinterpret_cast<void *>(address); }

} // namespace

Communicators::Communicators(Gpu &gpu) : gpu(gpu) {
  gpu.communicators = this;
  gpu.lookAtCommunicators = [](void *self) { static_cast<Communicators *>(self)->look(); };
}

Communicators::~Communicators() {
  for (auto &[members, communicator] : split)
    if (communicator != world)
      nccl->ncclCommDestroy(communicator);
  if (world)
    nccl->ncclCommDestroy(world);
}

void Communicators::fail(NcclResult result, const char *what) {
  const char *detail = nccl->ncclGetLastError(nullptr);
  gpu.fail(4, fmt::format("rank {}: {}: NCCL error {} ({}{}{})", gpu.host.rank, what, int(result),
                          nccl->ncclGetErrorString(result), detail && *detail ? ": " : "", detail ? detail : ""));
}

/// Calls of a non-blocking communicator may still be under way when they return.
void Communicators::settle(NcclResult result, Communicator communicator, const char *what) {
  for (; result == kNcclInProgress; usleep(50)) {
    gpu.host.poll(gpu.host.context);
    if (NcclResult asked = nccl->ncclCommGetAsyncError(communicator, &result))
      fail(asked, what);
  }
  if (result != kNcclSuccess)
    fail(result, what);
}

void Communicators::look() {
  if (!world)
    return;
  NcclResult error = kNcclSuccess;
  nccl->ncclCommGetAsyncError(world, &error);
  for (auto &[members, communicator] : split)
    if (error == kNcclSuccess)
      nccl->ncclCommGetAsyncError(communicator, &error);
  if (error == kNcclSuccess || error == kNcclInProgress)
    return;
  for (auto &[members, communicator] : split)
    nccl->ncclCommAbort(communicator);
  fail(error, "a collective");
}

void Communicators::makeWorld() {
  auto loaded = loadNccl();
  if (!loaded)
    gpu.fail(1, loaded.error());
  nccl = *loaded;
  struct Greeting {
    UniqueId id;
    int version;
  } mine{};
  if (NcclResult result = nccl->ncclGetVersion(&mine.version))
    fail(result, "asking for NCCL's version");
  if (gpu.host.rank == 0)
    if (NcclResult result = nccl->ncclGetUniqueId(&mine.id))
      fail(result, "making an id");
  std::vector<Greeting> all(size_t(gpu.host.rank_count));
  gpu.host.exchange(gpu.host.context, &mine, all.data(), sizeof mine);
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].version != mine.version)
      gpu.fail(1, fmt::format("rank {} has NCCL {}, rank {} has {}: all need the same", gpu.host.rank, mine.version,
                              rank, all[rank].version));
  NcclConfig config;
  config.blocking = 0;
  settle(nccl->ncclCommInitRankConfig(&world, gpu.host.rank_count, all[0].id, gpu.host.rank, &config), world,
         "making the communicator of all ranks");
}

Group Communicators::group(const froe_group &ranks) {
  std::vector<int32_t> members(ranks.members, ranks.members + ranks.size), ordered = members;
  std::ranges::sort(ordered);
  auto orderOf = [&](int32_t rank) { return int32_t(std::ranges::find(ordered, rank) - ordered.begin()); };
  Group group;
  group.size = ranks.size, group.position = ranks.position;
  group.order = orderOf(gpu.host.rank);
  std::ranges::transform(members, std::back_inserter(group.orderOf), orderOf);
  if (group.size == 1)
    return group;
  if (!world)
    makeWorld();
  Communicator &known = split[ordered];
  if (!known && group.size == gpu.host.rank_count)
    known = world;
  if (!known)
    settle(nccl->ncclCommSplit(world, ordered.front(), gpu.host.rank, &known, nullptr), known,
           "splitting a communicator");
  group.communicator = known;
  return group;
}

void Communicators::exchange(const Group &group, const std::vector<Part> &sends, const std::vector<Part> &receives) {
  if (gpu.learning())
    return;
  Stream stream = gpu.communication;
  nccl->ncclGroupStart();
  for (int32_t peer = 0; peer < group.size; ++peer) {
    if (auto [address, bytes] = sends[size_t(peer)]; bytes != 0)
      settle(nccl->ncclSend(pointer(address), bytes, kNcclU8, peer, group.communicator, stream), group.communicator,
             "sending");
    if (auto [address, bytes] = receives[size_t(peer)]; bytes != 0)
      settle(nccl->ncclRecv(pointer(address), bytes, kNcclU8, peer, group.communicator, stream), group.communicator,
             "receiving");
  }
  settle(nccl->ncclGroupEnd(), group.communicator, "an exchange");
}

void Communicators::allReduce(const Group &group, Address in, Address out, size_t count, NcclType type,
                              NcclReduction reduction) {
  if (!gpu.learning() && count != 0)
    settle(
        nccl->ncclAllReduce(pointer(in), pointer(out), count, type, reduction, group.communicator, gpu.communication),
        group.communicator, "an all-reduce");
}

void Communicators::reduceScatter(const Group &group, Address in, Address out, size_t count, NcclType type,
                                  NcclReduction reduction) {
  if (!gpu.learning() && count != 0)
    settle(nccl->ncclReduceScatter(pointer(in), pointer(out), count, type, reduction, group.communicator,
                                   gpu.communication),
           group.communicator, "a reduce-scatter");
}

void Communicators::allGather(const Group &group, Address in, Address out, size_t bytes) {
  if (!gpu.learning() && bytes != 0)
    settle(nccl->ncclAllGather(pointer(in), pointer(out), bytes, kNcclU8, group.communicator, gpu.communication),
           group.communicator, "an all-gather");
}

} // namespace froe::cuda
