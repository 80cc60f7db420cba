#include "Presets.h"

#include <unistd.h>

namespace froe {

namespace {
// Reading two ranks' terms out of a shared arena: the latency is two barriers; in cache an all-reduce of two ranks
// moves 10 GB/s and more, beyond it 3.
CollectiveRates sharedMemory(double latencySeconds, double bytesPerSecond, double cacheBytesPerSecond) {
  return {.latencySeconds = latencySeconds,
          .latencySecondsPerRank = 1e-5,
          .bytesPerSecond = bytesPerSecond,
          .cacheBytesPerSecond = cacheBytesPerSecond,
          .cacheBytes = 4 << 20};
}

int64_t hostMemory() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? int64_t(pages) * size : 0;
}
} // namespace

Cluster cpuPreset() {
  Cluster cluster;
  cluster.name = "cpu";
  cluster.hostMemoryBytes = hostMemory();
  cluster.hostBytesPerSecond = 30e9;
  cluster.device.threadsPerRank = 1;
  cluster.device.memoryBytesPerSecond = 20e9;
  cluster.device.cacheBytesPerSecond = 40e9;
  cluster.device.cacheBytes = 4 << 20;
  cluster.device.kernelOverheadSeconds = 1e-6;
  // oneDNN with packed weights on one AVX-512 core; see matmulSeconds for the traffic that comes on top.
  cluster.device.matmul["f32"].points = {{1, 25e9, 0.3},   {4, 90e9, 0.7},   {8, 105e9, 0.4},
                                         {32, 113e9, 0.5}, {64, 116e9, 0.6}, {128, 117e9, 0.8}};
  cluster.device.matmul["bf16"].points = {{1, 40e9, 0.3},   {4, 160e9, 0.7},  {8, 200e9, 0.4},
                                          {32, 228e9, 0.5}, {64, 234e9, 0.6}, {128, 234e9, 0.8}};
  cluster.device.matmul["f64"].points = {{1, 12e9}, {8, 50e9}, {64, 55e9}};
  cluster.linksShared = true;
  cluster.allReduce = sharedMemory(9e-6, 3e9, 10e9);
  cluster.allGather = sharedMemory(5e-6, 2.5e9, 8e9);
  cluster.reduceScatter = sharedMemory(5e-6, 2.5e9, 8e9);
  cluster.allToAll = sharedMemory(6e-6, 2e9, 6e9);
  cluster.sendRecv = sharedMemory(3e-6, 4e9, 8e9);
  return cluster;
}

} // namespace froe
