// A CUDA driver for tests: libcuda.so.1 on the CPU, found through the loader's path alone.
//
// Device memory is host memory with guard pages, poison and live ranges; a stream is a thread; kernels are host twins.
// What a GPU would answer with silent nonsense ends the process with exit code 86 and a line on stderr. Settings:
//
//   FROE_DOUBLE_DEVICES  number of devices (8)
//   FROE_DOUBLE_MEMORY   bytes of each (4 GiB)
//   FROE_DOUBLE_ARCH     compute capability (80)
//   FROE_DOUBLE_DRIVER   version (13000); 0: as if there were no driver
//   FROE_DOUBLE_BINARIES FROE_DOUBLE_PTX  the result of loading images of that kind (0)
//   FROE_DOUBLE_SAME_GPU 1: all devices are one GPU
//   FROE_DOUBLE_FAULT    the kernel that ends in an illegal access, after which every call fails
//   FROE_DOUBLE_QUEUE    operations of a stream that wait; a call that adds one more waits itself (1000)
//   FROE_DOUBLE_LOG      file to which is added what else cannot be seen: what NCCL registers and aborts
//   FROE_DOUBLE_DELAY    longest random delay before an operation of a stream, in microseconds (0)
//   FROE_DOUBLE_SEED     of the delays (1)
//   FROE_DOUBLE_TWINS    shared objects with host twins of kernels, separated by colons; `kernels.twin.so` beside the
//                        program is looked at as well
#pragma once

#include "runtime/cuda/Entries.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace froe::doubles {

using namespace froe::cuda;

inline constexpr int kAlarmExitCode = 86;

[[noreturn]] void alarm(const std::string &message);
/// Of an environment variable.
int64_t setting(const char *name, int64_t otherwise);
/// kSuccess, until a kernel made an illegal access.
DriverResult deviceState();
void breakDown();

// Memory.
DriverResult allocateDevice(Address *address, size_t bytes);
DriverResult freeDevice(Address address);
DriverResult allocateHost(void **memory, size_t bytes);
DriverResult freeHost(void *memory);
size_t freeBytes();
bool isPinned(const void *memory);
/// An alarm unless [address, address + bytes) lies in one live allocation of the device.
void checkDevice(Address address, size_t bytes, const std::string &what);
/// An alarm if `address` points to memory that was freed.
void checkNotFreed(Address address, const std::string &what);
void reportLeaks();

using Work = std::function<void()>;

/// What a recorded event waits for: work outside of captures, or nodes of a graph.
struct Recorded {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::chrono::steady_clock::time_point time;

  void finish();
  void wait();
};

/// One operation of a captured graph.
struct Node {
  Work work;
  int lane = 0; // the captured stream
  std::vector<size_t> after;
};

/// A capture in progress, and what becomes of it.
struct GraphState {
  std::vector<Node> nodes;
  std::vector<struct StreamState *> lanes; // by lane; the first is where the capture began
  std::vector<std::vector<size_t>> ends;   // by lane: what its next node comes after
  bool invalid = false;
};

struct EventState {
  std::shared_ptr<Recorded> recorded;
  std::shared_ptr<GraphState> capture; // where it was recorded last, if in a capture
  std::vector<size_t> nodes;
};

/// A thread that does one thing after the other.
struct StreamState {
  StreamState();
  ~StreamState();

  /// Appends to the stream, or to the capture that it is part of.
  void enqueue(Work work);
  void record(EventState &event);
  /// False if that is not allowed.
  bool waitFor(EventState &event);
  bool idle();
  void synchronize();
  int lane() const; // in the capture

  std::shared_ptr<GraphState> capture;

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Work> queue;
  size_t running = 0;
  bool stopping = false;
  std::mt19937_64 random;
  std::thread thread;
};

/// A random wait, so that what nobody ordered happens in any order.
void delay(std::mt19937_64 &random);
/// Whether every node of every lane comes before the end of the first one.
bool isJoined(const GraphState &graph);
/// Runs all nodes, each lane on a thread of its own.
void replay(const GraphState &graph, uint64_t seed);

// Kernels.
struct FunctionState {
  std::string name;
  void (*thread)(void **parameters) = nullptr;
  void (*whole)(void **parameters, uint32_t grid, uint32_t block) = nullptr;
  int32_t parameters = 0, block = 0, grid = 0, sharedBytes = 0; // 0: any
};
struct ModuleState {
  std::string image; // what names are looked for in
  void *twin = nullptr;
};
DriverResult loadModule(ModuleState &module, const void *image);
DriverResult findFunction(FunctionState &function, const ModuleState &module, const char *name);
/// Work that runs the twin on a copy of the parameters.
DriverResult launchWork(Work &work, const FunctionState &function, const unsigned grid[3], const unsigned block[3],
                        unsigned sharedBytes, void **parameters);

} // namespace froe::doubles

/// For the other doubles: counts what has to be destroyed before the context, by kind.
extern "C" void froe_double_live(const char *kind, int change);
/// Whether the memory is there.
extern "C" void froe_double_check(const void *memory, size_t bytes, const char *what);
// Of the driver double, for those that are linked against it.
extern "C" void froe_double_log(const char *line);
extern "C" froe::cuda::DriverResult cuMemAlloc_v2(froe::cuda::Address *, size_t);
extern "C" froe::cuda::DriverResult cuMemFree_v2(froe::cuda::Address);
extern "C" froe::cuda::DriverResult cuLaunchHostFunc(froe::cuda::Stream, void (*)(void *), void *);
