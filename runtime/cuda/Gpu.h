// One rank's GPU: a context, memory, two streams, and the queue of work that a step becomes.
#pragma once

#include "froe_device.h"
#include "runtime/cuda/Libraries.h"
#include "runtime/cuda/Timeline.h"
#include "runtime/cuda/Watchdog.h"
#include "runtime/cuda/kernels/BuiltIn.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace froe::cuda {

enum class BuiltIn { Reduce, Fill, Matmul };

/// Work is described by the same calls three times: without effect, to learn how much scratch memory and which
/// communicators it needs; for the first execution; and while an execution is recorded.
enum class Phase { Learning, Running, Recording };

/// Rows of bytes.
struct Rows {
  Address address;
  size_t pitch;
};

class Gpu {
public:
  explicit Gpu(const froe_device_host &host);
  ~Gpu();
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  [[noreturn]] void fail(int exitCode, const std::string &message) const;
  /// Ends this process if another rank failed; called while waiting.
  void endIfOthersFailed() const;
  /// Ends the run unless `result` is success.
  void check(DriverResult result, const char *what) const;

  void prepare(void (*run)(void *), void *argument);
  void execute(void (*run)(void *), void *argument);
  void finish();
  /// Drops what was recorded.
  void forget();

  void beginStep(int32_t step);
  void endStep();

  Address arena() const { return arenaMemory; }
  Address weight(int32_t index) const { return weightPlaces[size_t(index)]; }
  Address constant(int32_t index) const { return constantPlaces[size_t(index)]; }

  void *staging(uint64_t offset, uint64_t bytes);
  void upload(uint64_t offset, uint64_t bytes);
  void download(uint64_t offset, uint64_t bytes);

  void launch(int32_t step, int32_t kernel, int64_t grid, void *const *buffers);

  // What steps are made of; on `stream`, without effect while learning.
  void copyRows(Rows to, Rows from, size_t width, size_t rows, Stream stream);
  void clearRows(Rows to, size_t width, size_t rows, Stream stream);
  /// `arguments` as kernels/BuiltIn.h says; `elements` decides the grid.
  void launchBuiltIn(BuiltIn kernel, const void *arguments, size_t bytes, int64_t elements, Stream stream);
  /// Device memory for a copy of `bytes`, valid for the rest of the run.
  Address keep(const void *bytes, size_t count, Stream stream);
  /// `bytes` of scratch memory, the same for all steps that use the stream of communication.
  Address scratch(size_t bytes);
  /// For cuBLASLt, on the stream of computation.
  Address workspace() const { return workspaceMemory; }
  static constexpr size_t kWorkspaceBytes = 32 << 20;
  void needWorkspace() { workspaceNeeded = true; }
  /// Lets communication begin behind what is computed so far, and computation go on behind it: at once, or, of a step
  /// that is waited for, where `waitFor` is called.
  void beginCommunication(int32_t step);
  void endCommunication(int32_t step);
  void waitFor(int32_t step);

  bool learning() const { return phase == Phase::Learning; }

  /// The step that a stream is in, -1: in none. Computation is marked in the first execution only, and with --no-graph.
  enum class Mark { Communication, Computation };
  int32_t marked(Mark mark) const;
  /// "step 3 'layer/1' (all_gather)"
  std::string describeStep(int32_t step) const;
  /// Which GPU of the world this is.
  Uuid uuid() const;

  const froe_device_host &host;
  DriverLibrary driver;
  std::optional<NcclLibrary> nccl; // if the arena is NCCL's
  Stream compute = nullptr, communication = nullptr;
  /// Called while waiting for the device: ends the run if a communicator failed.
  void (*lookAtCommunicators)(void *) = nullptr;
  /// Called before this process ends because of a failure.
  void (*abortCommunicators)(void *) = nullptr;
  void *communicators = nullptr;

private:
  void open();
  void chooseDevice();
  [[noreturn]] void end(int exitCode) const;
  std::string describe(DriverResult result) const;
  std::string driverVersion() const;
  Function findKernel(Module module, const char *name) const;
  void loadBuiltIns();
  const froe_image &loadImage();
  void loadKernels();
  std::vector<Address> place(size_t &total, const std::vector<std::pair<const void *, uint64_t>> &parts);
  std::vector<std::pair<const void *, uint64_t>> weightsOfHost() const;
  void makeArena();
  void makeMemory();
  void freeMemory();
  void uploadParts(const std::vector<std::pair<const void *, uint64_t>> &parts, const std::vector<Address> &places);
  Address allocate(size_t bytes, const char *what);
  void requireFree(const std::vector<std::pair<const char *, size_t>> &planned);
  void record(void (*run)(void *), void *argument);
  void runOnce(void (*run)(void *), void *argument);
  void checkFaults();
  void lookAtProgress(bool first);
  /// Lets computation go on behind all communication so far.
  void joinCommunication();
  /// When `stream` gets there; a step of -1: none.
  void mark(Mark mark, int32_t step, Stream stream);

  Phase phase = Phase::Learning;
  int device = 0, arch = 0;
  Context context = nullptr;
  Stream side = nullptr;
  Event ready = nullptr, done = nullptr;
  Module module = nullptr, builtIns = nullptr;
  std::vector<Function> kernels;
  Function builtIn[3] = {};
  Address arenaMemory = 0, constantMemory = 0, scratchMemory = 0, keptMemory = 0, workspaceMemory = 0, words = 0;
  void *arenaOfNccl = nullptr; // the arena's memory, if it is to be freed by NCCL
  size_t scratchBytes = 0, keptBytes = 0, keptUsed = 0;
  bool workspaceNeeded = false, communicated = false; // communicated: in this execution
  std::vector<Address> weightPlaces, constantPlaces, allocations;
  std::vector<Event> completions; // by step, of those that are waited for
  std::vector<std::byte> parameterWords;
  std::map<std::pair<uint64_t, uint64_t>, void *> stagings;
  /// Pinned: a fault for each step, and behind them 1 + each mark.
  uint32_t *faults = nullptr;
  std::optional<Timeline> timeline;
  std::pair<int32_t, int32_t> progress; // the marks when the watchdog looked
  int64_t progressTime = 0;
  std::optional<Watchdog> watchdog;
  GraphExec graph = nullptr;
  int executions = 0;
};

} // namespace froe::cuda
