#include "runtime/core/RunRank.h"

#include "runtime/comm/shm/ShmTransport.h"
#include "runtime/core/CollectiveCheck.h"
#include "runtime/core/Context.h"
#include "runtime/core/Ports.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace froe::rt {

namespace {

constexpr int kInputsStep = -1, kOutputsStep = -2; // in the trace

[[noreturn]] void failWithoutControl(const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  _exit(1);
}

std::byte *mapShared(int file, uint64_t &bytes) {
  struct stat status;
  if (fstat(file, &status) != 0)
    failWithoutControl(fmt::format("file {} of the launcher: {}", file, strerror(errno)));
  bytes = uint64_t(status.st_size);
  if (bytes == 0)
    return nullptr;
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (address == MAP_FAILED)
    failWithoutControl(fmt::format("shared memory of {} bytes cannot be mapped: {}", bytes, strerror(errno)));
  return static_cast<std::byte *>(address);
}

Control mapControl(const RankEnvironment &environment) {
  uint64_t bytes = 0;
  Control control(mapShared(environment.controlFile, bytes));
  if (bytes < sizeof(ControlHeader) || control.header().magic != kControlMagic || control.header().bytes != bytes)
    failWithoutControl("the program and the `froe` that starts it are of different versions");
  return control;
}

void require(froe_rt &rt, bool condition, int exitCode, const std::string &message) {
  if (!condition)
    fail(rt, exitCode, message);
}

/// Program, package and launcher must belong together.
void checkProgram(froe_rt &rt, const RankEnvironment &environment) {
  const froe_program &program = *rt.program;
  const ControlHeader &header = rt.control.header();
  require(rt, program.abi == FROE_RT_ABI_VERSION, 1,
          fmt::format("the program's ABI is {}, the runtime's {}", program.abi, FROE_RT_ABI_VERSION));
  require(rt, std::string_view(program.plan_hash) == header.planHash, 1,
          fmt::format("the program was built for plan {}, the manifest says {}", program.plan_hash, header.planHash));
  require(rt, rt.mesh.size() == header.worldSize && environment.worldSize == header.worldSize, 1,
          fmt::format("the program is for {} ranks, {} were started", rt.mesh.size(), header.worldSize));
  require(
      rt, program.arena_bytes == header.arenaBytes, 1,
      fmt::format("the program's arena has {} bytes, the manifest says {}", program.arena_bytes, header.arenaBytes));
  require(rt, program.input_count == header.inputCount && program.output_count == header.outputCount, 1,
          fmt::format("the program has {} inputs and {} outputs, the manifest {} and {}", program.input_count,
                      program.output_count, header.inputCount, header.outputCount));
}

void checkPort(froe_rt &rt, const froe_port &port, const TensorPlace &place) {
  require(
      rt, globalBytes(port) == place.bytes, 1,
      fmt::format("'{}' has {} bytes in the program, {} in the manifest", port.name, globalBytes(port), place.bytes));
}

void checkPorts(froe_rt &rt) {
  const froe_program &program = *rt.program;
  for (int i = 0; i < program.input_count; ++i)
    checkPort(rt, program.inputs[i], rt.control.place(i));
  for (int i = 0; i < program.output_count; ++i)
    checkPort(rt, program.outputs[i], rt.control.place(program.input_count + i));
}

void start(froe_rt &rt, const RankEnvironment &environment) {
  rt.rank = environment.rank;
  rt.record = &rt.control.rank(rt.rank);
  rt.mesh = Mesh(*rt.program);
  checkProgram(rt, environment);
  checkPorts(rt);
  rt.control.writeNames(rt.rank, *rt.program);
  auto weights = WeightFile::open(environment.weightsFile, *rt.program);
  if (!weights)
    fail(rt, 1, weights.error());
  rt.weights = std::move(*weights);
  rt.stepCache.resize(size_t(rt.program->step_count));
  rt.pool = std::make_unique<ThreadPool>(rt.control.header().threads);
  rt.transport = std::make_unique<ShmTransport>(rt);
  rt.device = rt.program->device == FROE_CPU ? makeCpuDevice(rt) : openPlugin(rt);
  rt.arena = rt.device->arena();
  rt.record->state.store(uint32_t(RankState::Ready), std::memory_order_release);
}

/// Runs `body` as a step of the trace that is not one of the program.
template <typename Body> void runOutsideStep(froe_rt &rt, int step, Body &&body) {
  int64_t begin = nanoseconds();
  body();
  if (isTracing(rt))
    traceStep(rt, step, begin, nanoseconds());
}

/// One execution, from inputs in the launcher's memory to outputs there. Rank 0 takes the time, from when all have come
/// to when all are done.
void execute(froe_rt &rt, std::byte *tensors) {
  rt.transport->barrier();
  int64_t begin = nanoseconds();
  rt.communicationNanoseconds = 0;
  runOutsideStep(rt, kInputsStep, [&] { rt.device->loadInputs(tensors); });
  rt.device->run();
  runOutsideStep(rt, kOutputsStep, [&] { rt.device->storeOutputs(tensors); });
  int64_t ran = nanoseconds() - begin;
  checkEndOfExecution(rt);
  rt.transport->barrier();
  int64_t end = nanoseconds();

  ControlHeader &header = rt.control.header();
  if (rt.rank == 0) {
    rt.control.latency(rt.execution) = end - begin;
    if (rt.execution == 0)
      header.firstOutputNanoseconds = end;
  }
  if (rt.execution >= header.warmup) {
    rt.record->runNanoseconds += uint64_t(ran);
    rt.record->communicationNanoseconds += uint64_t(rt.communicationNanoseconds);
  }
  ++rt.execution;
  rt.record->executions.store(uint32_t(rt.execution), std::memory_order_release);
}

/// The largest resident set that this process ever had.
uint64_t peakResidentBytes() {
  FILE *status = std::fopen("/proc/self/status", "re");
  unsigned long kibibytes = 0;
  for (char line[256]; status && std::fgets(line, sizeof line, status);)
    if (std::sscanf(line, "VmHWM: %lu kB", &kibibytes) == 1)
      break;
  if (status)
    std::fclose(status);
  return uint64_t(kibibytes) * 1024;
}

int environmentNumber(const char *name, std::string &missing) {
  const char *text = std::getenv(name);
  char *end = nullptr;
  long value = text ? std::strtol(text, &end, 10) : 0;
  if (!text || !*text || *end || value < 0)
    missing += missing.empty() ? name : fmt::format(", {}", name);
  return int(value);
}

} // namespace

std::expected<RankEnvironment, std::string> discoverRank() {
  std::string missing;
  RankEnvironment environment;
  environment.rank = environmentNumber("FROE_RANK", missing);
  environment.worldSize = environmentNumber("FROE_WORLD_SIZE", missing);
  environment.controlFile = environmentNumber("FROE_SHM_FD", missing);
  environment.tensorFile = environmentNumber("FROE_IO_FD", missing);
  if (!missing.empty())
    return std::unexpected(
        fmt::format("this program is one rank of a package: start it with `froe run` (not set: {})", missing));
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  std::string_view path(self, length > 0 ? size_t(length) : 0);
  environment.weightsFile = fmt::format("{}/rank{}.safetensors", path.substr(0, path.rfind('/')), environment.rank);
  return environment;
}

void runRank(const froe_program &program, const RankEnvironment &environment) {
  froe_rt rt;
  rt.program = &program;
  rt.control = mapControl(environment);
  start(rt, environment);
  uint64_t tensorBytes = 0;
  std::byte *tensors = mapShared(environment.tensorFile, tensorBytes);
  rt.transport->barrier();
  rt.device->prepare();
  const ControlHeader &header = rt.control.header();
  while (rt.execution < header.warmup + header.repeat)
    execute(rt, tensors);
  rt.device.reset();
  rt.record->peakBytes = peakResidentBytes();
  rt.record->state.store(uint32_t(RankState::Done), std::memory_order_release);
}

} // namespace froe::rt
