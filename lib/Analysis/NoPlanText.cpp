#include "NoPlanText.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace froe {

std::string bytesText(int64_t bytes) {
  constexpr std::pair<const char *, int> units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (auto [unit, bits] : units)
    if (bytes >= int64_t(1) << bits)
      return fmt::format("{:.2f} {}", static_cast<double>(bytes) / static_cast<double>(int64_t(1) << bits), unit);
  return fmt::format("{} bytes", bytes);
}

std::string largestTensors(const ProgramGraph &graph, const Problem &problem, const std::vector<int> &choice) {
  std::vector<std::pair<int64_t, std::string>> tensors;
  for (size_t i = 0; i < choice.size(); ++i)
    for (const MemoryUse &use : problem.nodes[i].uses)
      tensors.push_back({use.bytes[choice[i]], graph.nodes[i].name});
  llvm::sort(tensors, std::greater<>());
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min<size_t>(3, tensors.size()); ++i)
    texts.push_back(fmt::format("'{}' ({})", tensors[i].second, bytesText(tensors[i].first)));
  return llvm::join(texts, ", ");
}

std::string noPlanText(const NoPlan &none, const ProgramGraph &graph, const Problem &problem) {
  if (none.reason == NoPlan::Reason::Conflict)
    return "the constraints exclude each other: no choice of strategies keeps all of them";
  return fmt::format("no plan {} {} per device\nnote: the smallest {} needs {}; the largest tensors are {}",
                     none.proven ? "fits" : "was found that fits", bytesText(problem.memoryLimit),
                     none.proven ? "one" : "found", bytesText(none.smallestPeakBytes),
                     largestTensors(graph, problem, none.smallest));
}

} // namespace froe
