#include "runtime/launch/Session.h"

#include "runtime/launch/Supervisor.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace froe {

namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint32_t kTraceCapacity = 1 << 16;

std::shared_ptr<int> createFile(const char *name, uint64_t bytes) {
  int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, off_t(bytes)) != 0) {
    if (file >= 0)
      close(file);
    return nullptr;
  }
  return {new int(file), [](int *owned) {
            close(*owned);
            delete owned;
          }};
}

std::shared_ptr<std::byte> mapFile(int file, uint64_t bytes) {
  void *address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (address == MAP_FAILED)
    return nullptr;
  return {static_cast<std::byte *>(address), [bytes](std::byte *mapped) { munmap(mapped, bytes); }};
}

rt::TensorPlace placeAfter(uint64_t &end, uint64_t bytes) {
  rt::TensorPlace place{end, bytes};
  end += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return place;
}

std::vector<rt::TensorPlace> placeTensors(const SessionOptions &options, uint64_t &bytes) {
  std::vector<rt::TensorPlace> places;
  for (uint64_t tensor : options.inputBytes)
    places.push_back(placeAfter(bytes, tensor));
  for (uint64_t tensor : options.outputBytes)
    places.push_back(placeAfter(bytes, tensor));
  bytes = std::max(bytes, kAlignment); // an empty file cannot be mapped
  return places;
}

void fillHeader(rt::ControlHeader &header, const SessionOptions &options) {
  header.magic = rt::kControlMagic;
  header.worldSize = options.ranks;
  header.threads = options.threads;
  header.warmup = options.warmup;
  header.repeat = options.repeat;
  header.checkCollectives = options.checkCollectives;
  header.graph = options.graph;
  header.traceCapacity = options.trace ? kTraceCapacity : 0;
  header.initTimeoutNanoseconds = int64_t(options.initTimeoutSeconds * 1e9);
  header.collectiveTimeoutNanoseconds = int64_t(options.collectiveTimeoutSeconds * 1e9);
  header.arenaBytes = options.arenaBytes;
  header.inputCount = int32_t(options.inputBytes.size());
  header.outputCount = int32_t(options.outputBytes.size());
  options.planHash.copy(header.planHash, sizeof header.planHash - 1);
}

} // namespace

std::expected<Session, std::string> Session::create(const SessionOptions &options) {
  uint64_t tensorBytes = 0;
  std::vector<rt::TensorPlace> places = placeTensors(options, tensorBytes);
  auto header = std::make_unique<rt::ControlHeader>();
  fillHeader(*header, options);
  header->tensorBytes = tensorBytes;
  rt::Control::layOut(*header);

  Session session;
  session.options = options;
  auto error = [](const char *what, uint64_t bytes) {
    return std::unexpected(fmt::format("{} of {} bytes for the ranks: {}", what, bytes, strerror(errno)));
  };
  if (!(session.files[0] = createFile("froe-control", header->bytes)) ||
      !(session.base = mapFile(session.controlFile(), header->bytes)))
    return error("shared memory", header->bytes);
  if (!(session.files[1] = createFile("froe-tensors", tensorBytes)) ||
      !(session.tensors = mapFile(session.tensorFile(), tensorBytes)))
    return error("memory for inputs and outputs", tensorBytes);
  // Copied before there are other users; the atomic words are all zero.
  std::memcpy(static_cast<void *>(session.base.get()), static_cast<const void *>(header.get()), sizeof *header);
  session.shared = rt::Control(session.base.get());
  for (size_t i = 0; i < places.size(); ++i)
    session.shared.place(int(i)) = places[i];
  return session;
}

std::expected<void, Failure> Session::run(const std::function<void(int rank)> &child) {
  return supervise(shared, options.pin, options.initTimeoutSeconds, child);
}

std::vector<int> usableCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores.empty() ? std::vector<int>{0} : cores;
}

} // namespace froe
