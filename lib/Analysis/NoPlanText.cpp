#include "NoPlanText.h"

#include "froe/Analysis/ByteText.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace froe {

namespace {

constexpr std::string_view kTooLarge = "no plan ";

/// Tensors of one size, largest first.
using BySize = std::map<int64_t, std::vector<std::string>, std::greater<>>;

std::string text(double bytes, int64_t limit) { return bytesText(bytes, unitsOf(limit)); }

std::string secondsText(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.1f} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.4g} ms", seconds * 1e3)
                        : fmt::format("{:.4g} s", seconds);
}

std::string tensorsText(int64_t bytes, const std::vector<std::string> &names, int64_t limit) {
  std::string size = text(static_cast<double>(bytes), limit);
  return names.size() == 1 ? fmt::format("'{}' {}", names[0], size)
                           : fmt::format("'{}' and {} like it, {} each", names[0], names.size() - 1, size);
}

} // namespace

std::string largestTensors(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice,
                           int64_t limit) {
  BySize sizes;
  for (size_t i = 0; i < choice.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses)
      sizes[use.bytes[choice[i]]].push_back(graph.nodes[i].name);
  std::vector<std::string> texts;
  for (auto &[bytes, names] : sizes)
    if (texts.size() < 3 && bytes > 0)
      texts.push_back(tensorsText(bytes, names, limit));
  return llvm::join(texts, "; ");
}

std::string tooLargeText(bool proven, int64_t limit, int64_t devices, int64_t smallest, const std::string &largest) {
  return fmt::format("{}{} {} per device on {} device{}\nnote: the smallest plan {} needs {} per device{}{}", kTooLarge,
                     proven ? "fits" : "was found that fits", text(static_cast<double>(limit), limit), devices,
                     devices == 1 ? "" : "s", proven ? "there is" : "found", text(static_cast<double>(smallest), limit),
                     largest.empty() ? "" : "; largest in it: ", largest);
}

bool isTooLarge(const std::string &error) { return llvm::StringRef(error).starts_with(kTooLarge); }

std::string noPlanText(const NoPlan &none, const ProgramGraph &graph, const Problem &problem) {
  if (none.reason == NoPlan::Reason::Conflict)
    return "the constraints exclude each other: no choice of strategies keeps all of them";
  return tooLargeText(none.proven, problem.memoryLimit, graph.mesh.deviceCount(), none.smallestPeakBytes,
                      largestTensors(graph, problem, none.smallest, problem.memoryLimit));
}

std::string moreDevicesText(const std::vector<DeviceCount> &counts, int64_t limit) {
  std::string rows;
  int64_t advised = 0;
  for (const DeviceCount &count : counts) {
    std::string memory = text(static_cast<double>(count.memoryBytes), limit);
    if (std::isinf(count.cost)) {
      rows += fmt::format("\nnote: {:>6} devices: at least {} each found, does not fit", count.devices, memory);
      continue;
    }
    advised = advised == 0 ? count.devices : advised;
    rows += fmt::format("\nnote: {:>6} devices: {} each, {} a run, {:.4g} device-seconds", count.devices, memory,
                        secondsText(count.cost), count.cost * static_cast<double>(count.devices));
  }
  return advised == 0 ? rows : fmt::format("\nnote: {} devices would do:{}", advised, rows);
}

} // namespace froe
