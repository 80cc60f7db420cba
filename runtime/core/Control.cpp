#include "runtime/core/Control.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace froe::rt {

void Control::layOut(ControlHeader &header) {
  uint64_t end = sizeof(ControlHeader);
  auto place = [&](uint64_t bytes, uint64_t alignment) {
    uint64_t begin = (end + alignment - 1) / alignment * alignment;
    end = begin + bytes;
    return begin;
  };
  uint64_t ranks = uint64_t(header.worldSize);
  header.ranksOffset = place(ranks * sizeof(RankRecord), 4096);
  header.barriersOffset = place(kAxisSubsets * ranks * sizeof(BarrierWords), 64);
  header.latenciesOffset = place(uint64_t(header.warmup + header.repeat) * sizeof(int64_t), 64);
  header.placesOffset = place(uint64_t(header.inputCount + header.outputCount) * sizeof(TensorPlace), 64);
  header.namesOffset = place(ranks * kNamesBytes, 4096);
  header.exchangeOffset = place(ranks * FROE_EXCHANGE_BYTES, 64);
  header.traceOffset = place(ranks * header.traceCapacity * sizeof(TraceEvent), 4096);
  constexpr uint64_t kHugePage = 2 << 20;
  header.arenaStride = (header.arenaBytes + kHugePage - 1) / kHugePage * kHugePage;
  header.arenasOffset = place(ranks * header.arenaStride, kHugePage);
  header.bytes = end;
}

bool Control::claimFailure(int rank, int exitCode, std::string_view message) const {
  FailureRecord &failure = header().failure;
  if (failure.claimed.exchange(1) != 0)
    return false;
  failure.rank = rank;
  failure.exitCode = exitCode;
  size_t size = std::min(message.size(), sizeof failure.message - 1);
  std::memcpy(failure.message, message.data(), size);
  failure.message[size] = 0;
  failure.written.store(1, std::memory_order_release);
  return true;
}

void Control::writeNames(int rank, const froe_program &program) const {
  std::byte *area = names(rank);
  auto *words = reinterpret_cast<uint32_t *>(area);
  uint64_t count = uint64_t(std::max(program.step_count, 0));
  uint64_t end = (2 + 2 * count) * sizeof(uint32_t);
  if (end > kNamesBytes)
    return;
  for (uint64_t i = 0; i < 2 * count; ++i) {
    const froe_step &step = program.steps[i / 2];
    std::string_view text = i % 2 ? step.what : step.name;
    text = text.substr(0, kNamesBytes - end);
    words[1 + i] = uint32_t(end);
    std::memcpy(area + end, text.data(), text.size());
    end += text.size();
  }
  words[1 + 2 * count] = uint32_t(end);
  std::atomic_ref(words[0]).store(uint32_t(count), std::memory_order_release);
}

std::pair<std::string_view, std::string_view> Control::stepNames(int rank, int step) const {
  auto *words = reinterpret_cast<uint32_t *>(names(rank));
  if (step < 0 || uint32_t(step) >= std::atomic_ref(words[0]).load(std::memory_order_acquire))
    return {};
  auto text = [&](uint32_t index) {
    return std::string_view(reinterpret_cast<char *>(words) + words[1 + index], words[2 + index] - words[1 + index]);
  };
  return {text(2 * uint32_t(step)), text(2 * uint32_t(step) + 1)};
}

std::string Control::describeStep(int rank, int step) const {
  if (step < 0)
    return "no step yet";
  auto [name, what] = stepNames(rank, step);
  return fmt::format("step {} '{}' ({})", step, name, what);
}

std::string Control::describeProgress(int rank) const {
  const RankRecord &record = this->rank(rank);
  switch (RankState(record.state.load(std::memory_order_acquire))) {
  case RankState::Starting:
    return "not started yet";
  case RankState::Done:
    return "done";
  case RankState::Ready:
    break;
  }
  return fmt::format("execution {}, {}", record.executions.load(), describeStep(rank, record.step.load() - 1));
}

} // namespace froe::rt
