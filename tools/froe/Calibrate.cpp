#include "Command.h"

#include "froe/Cost/Cluster.h"
#include "froe/Cost/Compute.h"
#include "runtime/core/ElementType.h"
#include "runtime/launch/Measure.h"
#include "runtime/launch/Session.h"

#include <fmt/format.h>
#include <fstream>

namespace froe {
namespace {

struct CalibrateArguments {
  std::string output;
  int threads = 1;
  bool json = false;
};

CollectiveRates rates(const RankMeasure &ranks, CollectiveKind kind) {
  CollectiveFit found = fit(ranks.collectives, kind);
  return {.latencySeconds = found.latencySeconds,
          .latencySecondsPerRank = found.latencySecondsPerRank,
          .bytesPerSecond = found.bytesPerSecond,
          .cacheBytesPerSecond = found.cacheBytesPerSecond,
          .cacheBytes = found.cacheBytes};
}

/// What products of one row read from memory in a second: as good as nothing else costs time.
double weightBytesPerSecond(const DeviceMeasure &device) {
  double best = device.memory.read;
  for (const MatmulSample &sample : device.matmul)
    if (sample.rows == 1 && sample.type == FROE_F32)
      best = std::max(best, double(sample.streamedSide * sample.streamedSide * 4) / sample.streamedSeconds);
  return best;
}

void addMatmulRates(Cluster &cluster, const DeviceMeasure &device) {
  for (const MatmulSample &sample : device.matmul) {
    std::string type(rt::elementType(sample.type).name);
    MatmulTimes times{sample.rows, sample.cachedSide, sample.streamedSide, sample.cachedSeconds,
                      sample.streamedSeconds};
    cluster.device.matmul[type].points.push_back(fitMatmul(cluster, times, type));
  }
}

Cluster clusterOf(const DeviceMeasure &device, const RankMeasure &ranks) {
  constexpr double operationsOfGelu = 20;  // as the cost model counts them
  Cluster cluster = *Cluster::load("cpu"); // for the host's memory
  cluster.name = "calibrated";
  cluster.devices = ranks.hostRanks;
  cluster.hostBytesPerSecond = 0;
  cluster.device = {.threadsPerRank = device.threads,
                    .memoryBytesPerSecond = weightBytesPerSecond(device),
                    .cacheBytesPerSecond = device.cache.copy,
                    .cacheBytes = device.cacheBytes,
                    .kernelOverheadSeconds = ranks.kernelOverheadSeconds,
                    .vectorFlopsPerSecond = operationsOfGelu * device.geluPerSecond,
                    .matmul = {}};
  addMatmulRates(cluster, device); // measured on one rank alone
  cluster.hostBytesPerSecond = ranks.hostBytesPerSecond;
  cluster.linksShared = true;
  cluster.allReduce = rates(ranks, CollectiveKind::AllReduce);
  cluster.allGather = rates(ranks, CollectiveKind::AllGather);
  cluster.reduceScatter = rates(ranks, CollectiveKind::ReduceScatter);
  cluster.allToAll = rates(ranks, CollectiveKind::AllToAll);
  cluster.sendRecv = cluster.allGather; // of two ranks: each sends the other one its half
  return cluster;
}

void printSummary(const Cluster &cluster) {
  auto giga = [](double perSecond) { return perSecond * 1e-9; };
  fmt::print("memory   {:.1f} GB/s, {:.1f} with all cores; cache {:.1f} GB/s up to {} KiB\n",
             giga(cluster.device.memoryBytesPerSecond), giga(cluster.hostBytesPerSecond),
             giga(cluster.device.cacheBytesPerSecond), cluster.device.cacheBytes >> 10);
  for (const auto &[type, matmul] : cluster.device.matmul)
    fmt::print("matmul   {:<5} {:.0f} GF/s\n", type, giga(matmul.bestFlopsPerSecond()));
  fmt::print("exchange all-reduce of 2 ranks: {:.1f} us + {:.1f} GB/s\n", cluster.allReduce.latencySeconds * 1e6,
             giga(cluster.allReduce.cacheBytesPerSecond));
}

int calibrate(const CalibrateArguments &arguments) {
  int cores = int(usableCores().size());
  if (arguments.threads < 1 || arguments.threads > cores)
    return report(
        1, {fmt::format("--threads: expected 1 to {}, the cores of this host, found {}", cores, arguments.threads)});
  auto line = progressLine();
  auto progress = [&](std::string_view what, double) { line(what); };
  auto ranks = measureRanks(arguments.threads, progress); // first: it forks, and must not have threads beside it
  if (!ranks)
    return report(ranks.error().exitCode, {ranks.error().message});
  Cluster cluster = clusterOf(measureDevice(arguments.threads, progress), *ranks);
  std::ofstream file(arguments.output);
  file << cluster.toJson() << '\n';
  if (!file.flush())
    return report(1, {fmt::format("'{}' cannot be written: {}", arguments.output, std::strerror(errno))});
  if (arguments.json)
    fmt::print("{}\n", nlohmann::ordered_json::parse(cluster.toJson()).dump());
  else
    printSummary(cluster);
  return 0;
}

} // namespace

Action addCalibrate(CLI::App &command) {
  auto arguments = std::make_shared<CalibrateArguments>();
  command.add_option("-o,--output", arguments->output, "cluster file to write, for --cluster")
      ->required()
      ->type_name("FILE");
  command.add_option("--threads", arguments->threads, "threads of each rank")->capture_default_str()->type_name("N");
  addJson(command, arguments->json);
  return [arguments] { return calibrate(*arguments); };
}

} // namespace froe
