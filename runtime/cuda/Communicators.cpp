#include "runtime/cuda/Communicators.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace froe::cuda {

namespace {

void *pointer(Address address) { return reinterpret_cast<void *>(address); }

} // namespace

Communicators::Communicators(Gpu &gpu) : gpu(gpu) {
  gpu.communicators = this;
  gpu.lookAtCommunicators = [](void *self) { static_cast<Communicators *>(self)->look(); };
  gpu.abortCommunicators = [](void *self) { static_cast<Communicators *>(self)->abort(); };
}

Communicators::~Communicators() {
  gpu.lookAtCommunicators = gpu.abortCommunicators = nullptr;
  for (auto [communicator, registration] : registrations)
    nccl->ncclCommDeregister(communicator, registration);
  for (auto &[members, communicator] : parts)
    if (communicator != world)
      nccl->ncclCommDestroy(communicator);
  if (world)
    nccl->ncclCommDestroy(world);
}

/// Lets kernels of NCCL go that wait for other ranks, here and there.
void Communicators::abort() {
  for (auto &[members, communicator] : parts)
    if (communicator && communicator != world)
      nccl->ncclCommAbort(communicator);
  if (world)
    nccl->ncclCommAbort(world);
}

void Communicators::fail(NcclResult result, const char *what) {
  const char *detail = nccl->ncclGetLastError(nullptr);
  gpu.fail(4, fmt::format("rank {}: {}: NCCL error {} ({}{}{})", gpu.host.rank, what, int(result),
                          nccl->ncclGetErrorString(result), detail && *detail ? ": " : "", detail ? detail : ""));
}

/// Calls of a non-blocking communicator may still be under way when they return.
void Communicators::settle(NcclResult result, Communicator communicator, const char *what) {
  auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(gpu.host.timeout_nanoseconds);
  for (; result == kNcclInProgress; usleep(50)) {
    gpu.endIfOthersFailed();
    if (std::chrono::steady_clock::now() > end)
      gpu.fail(4, fmt::format("rank {} waited {:.1f} s for {}", gpu.host.rank,
                              double(gpu.host.timeout_nanoseconds) * 1e-9, what));
    if (NcclResult asked = nccl->ncclCommGetAsyncError(communicator, &result))
      fail(asked, what);
  }
  if (result != kNcclSuccess)
    fail(result, what);
}

void Communicators::look() {
  NcclResult error = kNcclSuccess;
  auto ask = [&](Communicator communicator) {
    if (communicator && (error == kNcclSuccess || error == kNcclInProgress))
      nccl->ncclCommGetAsyncError(communicator, &error);
  };
  ask(world);
  for (auto &[members, communicator] : parts)
    ask(communicator);
  if (error == kNcclSuccess || error == kNcclInProgress)
    return;
  gpu.endIfOthersFailed(); // theirs is the cause
  fail(error, gpu.describeStep(gpu.marked(Gpu::Mark::Communication)).c_str());
}

void Communicators::makeWorld() {
  if (gpu.nccl)
    nccl = gpu.nccl;
  else if (auto loaded = loadNccl())
    nccl = *loaded;
  else
    gpu.fail(1, loaded.error());
  struct Greeting {
    UniqueId id;
    Uuid gpu;
    int version, registers;
  } mine{{}, gpu.uuid(), 0, gpu.nccl.has_value()};
  static_assert(sizeof mine <= FROE_EXCHANGE_BYTES);
  if (NcclResult result = nccl->ncclGetVersion(&mine.version))
    fail(result, "asking for NCCL's version");
  if (gpu.host.rank == 0)
    if (NcclResult result = nccl->ncclGetUniqueId(&mine.id))
      fail(result, "making an id");
  std::vector<Greeting> all(size_t(gpu.host.rank_count));
  gpu.host.exchange(gpu.host.context, &mine, all.data(), sizeof mine);
  registers = true;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    registers = registers && all[rank].registers != 0;
    if (all[rank].version != mine.version)
      gpu.fail(1, fmt::format("rank {} has NCCL {}, rank {} has {}: all need the same", gpu.host.rank, mine.version,
                              rank, all[rank].version));
    if (int(rank) != gpu.host.rank && all[rank].gpu == mine.gpu)
      gpu.fail(1,
               fmt::format("ranks {} and {} are on the same GPU: NCCL needs one for each rank", gpu.host.rank, rank));
  }
  NcclConfig config;
  config.blocking = 0;
  NcclResult begun = nccl->ncclCommInitRankConfig(&world, gpu.host.rank_count, all[0].id, gpu.host.rank, &config);
  settle(begun, world, "the communicator of all ranks");
  registerArena(world);
}

/// The new communicator is null until all is done; until then its parent tells how far things are.
void Communicators::split(Communicator &part, int color) {
  NcclResult begun = nccl->ncclCommSplit(world, color, gpu.host.rank, &part, nullptr);
  settle(begun, world, "splitting a communicator");
  settle(kNcclInProgress, part, "splitting a communicator");
  registerArena(part);
}

/// So that NCCL reads and writes the arena in place, where the hardware can. All ranks do, or none.
void Communicators::registerArena(Communicator communicator) {
  void *registration = nullptr;
  if (!registers || gpu.host.program->arena_bytes == 0)
    return;
  NcclResult result =
      nccl->ncclCommRegister(communicator, pointer(gpu.arena()), gpu.host.program->arena_bytes, &registration);
  if (result != kNcclSuccess)
    fail(result, "registering the arena");
  registrations.push_back({communicator, registration});
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
  Communicator &known = parts[ordered];
  if (!known && group.size == gpu.host.rank_count)
    known = world;
  if (!known)
    split(known, ordered.front());
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
