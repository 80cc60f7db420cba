#include "Restrictions.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

namespace froe {

namespace {
bool isNamedPlan(llvm::StringRef name) { return name == "replicated" || name == "data" || name == "tensor"; }

std::expected<std::string, std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return std::unexpected(fmt::format("cannot read '{}': {}", path, buffer.getError().message()));
  return (*buffer)->getBuffer().str();
}

} // namespace

static std::optional<std::string> restrictByConstraint(ProgramGraph &graph, const FactorNames &names,
                                                       const PlanOptions &options) {
  if (isNamedPlan(options.constrain))
    return restrictToNamedPlan(graph, options.constrain);
  uint64_t seed = 0;
  llvm::StringRef random = options.constrain;
  if (random.consume_front("random:") && !random.getAsInteger(10, seed)) {
    restrictAtRandom(graph, seed);
    return std::nullopt;
  }
  const std::string &file = options.planFile.empty() ? options.constrain : options.planFile;
  if (file.empty())
    return std::nullopt;
  std::string shown = file.starts_with('{') ? "--constrain" : file; // the content instead of a file
  std::expected<std::string, std::string> text = file.starts_with('{') ? file : readFile(file);
  if (!text)
    return text.error();
  return options.planFile.empty() ? restrictByConstraints(graph, names, *text, shown)
                                  : restrictToPlanFile(graph, names, *text, file);
}

std::optional<std::string> restrictByOptions(ProgramGraph &graph, const FactorNames &names,
                                             const PlanOptions &options) {
  if (auto why = restrictByConstraint(graph, names, options))
    return why;
  if (auto why = restrictToForced(graph, names, options.force))
    return why;
  if (!options.constrain.empty() || !options.planFile.empty() || !options.force.empty())
    shareStrategies(graph);
  return std::nullopt;
}

} // namespace froe
