#include "runtime/launch/Trace.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace froe {

namespace {

using nlohmann::json;

struct Ring {
  uint64_t first, count; // events that are still there
};

Ring ringOf(const rt::Control &control, int rank) {
  uint64_t written = control.rank(rank).traceCount.load(std::memory_order_acquire);
  uint64_t count = std::min<uint64_t>(written, control.header().traceCapacity);
  return {written - count, count};
}

/// The trace's time 0.
int64_t earliest(const rt::Control &control) {
  int64_t begin = INT64_MAX;
  for (int rank = 0; rank < control.header().worldSize; ++rank)
    if (Ring ring = ringOf(control, rank); ring.count)
      begin = std::min(begin, control.traceEvent(rank, ring.first).begin);
  return begin;
}

std::pair<std::string_view, std::string_view> namesOf(const rt::Control &control, int rank, int step) {
  if (step == -1)
    return {"", "load inputs"};
  if (step == -2)
    return {"", "store outputs"};
  return control.stepNames(rank, step);
}

std::string quoted(std::string_view text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

void writeRank(std::ostream &stream, const rt::Control &control, int rank, int64_t begin) {
  stream << fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"rank {0}"}}}})", rank);
  Ring ring = ringOf(control, rank);
  for (uint64_t i = ring.first; i < ring.first + ring.count; ++i) {
    const rt::TraceEvent &event = control.traceEvent(rank, i);
    auto [name, what] = namesOf(control, rank, event.step);
    stream << fmt::format(
        ",\n"
        R"({{"ph":"X","name":{},"pid":{},"tid":0,"ts":{:.3f},"dur":{:.3f},"args":{{"node":{},"step":{},"execution":{}}}}})",
        quoted(what), rank, double(event.begin - begin) * 1e-3, double(event.end - event.begin) * 1e-3, quoted(name),
        event.step, event.execution);
  }
}

} // namespace

std::expected<void, std::string> writeTrace(const std::filesystem::path &file, const rt::Control &control) {
  std::ofstream stream(file, std::ios::trunc);
  int64_t begin = earliest(control);
  stream << "{\"traceEvents\":[\n";
  for (int rank = 0; rank < control.header().worldSize; ++rank) {
    stream << (rank ? ",\n" : "");
    writeRank(stream, control, rank, begin);
  }
  stream << "\n],\"displayTimeUnit\":\"ms\"}\n";
  stream.close();
  if (!stream)
    return std::unexpected(fmt::format("{}: cannot be written: {}", file.string(), strerror(errno)));
  return {};
}

} // namespace froe
