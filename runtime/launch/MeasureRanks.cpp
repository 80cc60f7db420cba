#include "runtime/core/Context.h"
#include "runtime/core/RunRank.h"
#include "runtime/launch/Measure.h"
#include "runtime/launch/MeasureMatmul.h"
#include "runtime/launch/Session.h"

#include <algorithm>
#include <unistd.h>

namespace froe {

namespace {

constexpr int64_t kSmallest = 1 << 10, kLargest = 16 << 20;
constexpr int kGroups[] = {2, 4};
constexpr CollectiveKind kKinds[] = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                     CollectiveKind::ReduceScatter, CollectiveKind::AllToAll};

/// At the start of rank 0's arena, for the launcher; tensors come behind.
struct Results {
  double kernelOverheadSeconds;
  double bytesPerSecond; // from memory
  int32_t count;
  CollectiveSample samples[64];
};
constexpr int64_t kInput = 1 << 16, kOutput = kInput + kLargest;
static_assert(sizeof(Results) <= kInput);

template <typename Body> double medianSeconds(Body &&body, int repeats) {
  std::vector<double> times;
  for (int i = 0; i < repeats + 2; ++i) {
    int64_t begin = rt::nanoseconds();
    body();
    if (i >= 2) // pages and caches are warm
      times.push_back(double(rt::nanoseconds() - begin) * 1e-9);
  }
  return median(times);
}

int64_t runCollective(froe_rt &rt, const rt::Group &group, CollectiveKind kind, int64_t count) {
  const void *in = rt.arena + kInput;
  void *out = rt.arena + kOutput;
  rt::Cut cut{1, count, 1};
  switch (kind) {
  case CollectiveKind::AllReduce:
    return rt.transport->allReduce(group, FROE_SUM, FROE_F32, count, in, out);
  case CollectiveKind::AllGather:
    return rt.transport->allGather(group, FROE_F32, cut, in, out);
  case CollectiveKind::ReduceScatter:
    return rt.transport->reduceScatter(group, FROE_SUM, FROE_F32, cut, in, out);
  case CollectiveKind::AllToAll: // as square as a power of two can be
    int64_t side = 16;
    return rt.transport->allToAll(group, FROE_F32, {true, 1, side, 1, count / side, 1}, in, out);
  }
  __builtin_unreachable();
}

void measureCollectives(froe_rt &rt, Results &results) {
  rt::Group group = rt.mesh.group(rt.rank, {1, {0}});
  for (CollectiveKind kind : kKinds)
    for (int64_t bytes = kSmallest; bytes <= kLargest; bytes *= 4) {
      int64_t sent = 0;
      int repeats = int(std::clamp<int64_t>((64 << 20) / bytes, 7, 300));
      double time = medianSeconds([&] { sent = runCollective(rt, group, kind, bytes / 4); }, repeats);
      results.samples[results.count++] = {kind, group.size(), bytes, sent, time};
    }
}

void measureKernel(froe_rt &rt, Results &results) {
  auto nothing = [](void *const *, int64_t, int64_t) -> int32_t { return FROE_FAULT_NONE; };
  constexpr int kernels = 100;
  void *buffers[] = {rt.arena};
  double time = medianSeconds(
      [&] {
        for (int i = 0; i < kernels; ++i)
          froe_rt_kernel(&rt, 0, nothing, buffers, rt.pool->size(), 1);
      },
      50);
  results.kernelOverheadSeconds = time / kernels;
}

void measureOnRank(froe_rt *rt) {
  Results &results = *reinterpret_cast<Results *>(rt->arena);
  measureKernel(*rt, results);
  measureCollectives(*rt, results);
}

/// Products of one row read a weight at the memory's pace. The ranks begin together, and each goes on until the last
/// one has its samples.
void measureMemoryOnRank(froe_rt *rt) {
  constexpr int64_t side = 1024, bytes = 128 << 20;
  Numbers weights(bytes, Numbers::Like::Weights);
  WeightProducts products(*rt->pool, FROE_F32, 1, side, weights, bytes, {});
  std::vector<double> times;
  rt->transport->barrier();
  products.sample(0.1, times);
  times.clear();
  products.sample(0.3, times);
  std::vector<double> unused;
  products.sample(0.1, unused);
  reinterpret_cast<Results *>(rt->arena)->bytesPerSecond = double(side * side * 4) / median(times);
}

using RankBody = void (*)(froe_rt *);

/// What rank 0 found.
std::expected<Results, Failure> runGroup(int ranks, int threads, RankBody body) {
  static constexpr froe_step step{"measure", "measure"};
  froe_program program{};
  program.abi = FROE_RT_ABI_VERSION;
  program.plan_hash = "measure";
  program.mesh_rank = 1;
  program.mesh[0] = ranks;
  program.arena_bytes = kOutput + kLargest;
  program.step_count = 1;
  program.steps = &step;
  program.run = body;
  SessionOptions options;
  options.ranks = ranks;
  options.threads = threads;
  options.arenaBytes = program.arena_bytes;
  options.planHash = program.plan_hash;
  auto session = Session::create(options);
  if (!session)
    return std::unexpected(Failure{3, session.error()});
  auto result = session->run([&](int rank) {
    rt::runRank(program, {rank, ranks, session->controlFile(), session->tensorFile(), ""});
    _exit(0);
  });
  if (!result)
    return std::unexpected(result.error());
  return *reinterpret_cast<const Results *>(session->control().arena(0));
}

} // namespace

std::expected<RankMeasure, Failure> measureRanks(int threads, const MeasureProgress &progress) {
  RankMeasure measured;
  double done = 0;
  for (int ranks : kGroups) {
    progress("collectives", done / (std::size(kGroups) + 1));
    auto results = runGroup(ranks, threads, measureOnRank);
    if (!results)
      return std::unexpected(results.error());
    if (ranks == kGroups[0])
      measured.kernelOverheadSeconds = results->kernelOverheadSeconds;
    measured.collectives.insert(measured.collectives.end(), results->samples, results->samples + results->count);
    ++done;
  }
  progress("memory of all ranks", done / (std::size(kGroups) + 1));
  measured.hostRanks = std::clamp(int(usableCores().size()) / threads, 1, rt::kMaxRanks);
  auto results = runGroup(measured.hostRanks, threads, measureMemoryOnRank);
  if (!results)
    return std::unexpected(results.error());
  measured.hostBytesPerSecond = results->bytesPerSecond * measured.hostRanks;
  progress("done", 1);
  return measured;
}

CollectiveFit fit(const std::vector<CollectiveSample> &samples, CollectiveKind kind) {
  auto sample = [&](int ranks, int64_t bytes) -> const CollectiveSample & {
    return *std::ranges::find_if(
        samples, [&](const CollectiveSample &s) { return s.kind == kind && s.ranks == ranks && s.bytes == bytes; });
  };
  const CollectiveSample &empty = sample(2, kSmallest), &cached = sample(2, kLargest / 4), &large = sample(2, kLargest),
                         &more = sample(4, kSmallest);
  // Rates from differences; noise may turn those around, and a rate has to be positive.
  auto rate = [](const CollectiveSample &from, const CollectiveSample &to) {
    return double(to.bytesSent - from.bytesSent) / std::max(to.seconds - from.seconds, to.seconds / 8);
  };
  return {.latencySeconds = empty.seconds,
          .latencySecondsPerRank = std::max(more.seconds - empty.seconds, 0.0) / 2,
          .bytesPerSecond = rate(cached, large),
          .cacheBytesPerSecond = rate(empty, cached),
          .cacheBytes = cached.bytesSent};
}

} // namespace froe
