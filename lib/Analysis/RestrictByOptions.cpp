#include "Restrictions.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

/// Only well-formed entries count: the others are complained about with the rest of the file.
std::expected<PlanOptions, std::string> withStagesOfFile(const PlanOptions &options) {
  PlanOptions all = options;
  const std::string &file = options.constrain;
  if (file.empty() || isNamedPlan(file) || llvm::StringRef(file).starts_with("random:"))
    return all;
  std::expected<std::string, std::string> text = file.starts_with('{') ? file : readFile(file);
  auto json = text ? nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false) : nlohmann::json();
  if (!json.is_object())
    return all;
  try {
    all.stageNodes = json.value("stages", all.stageNodes);
    all.microbatches = json.value("microbatches", all.microbatches);
  } catch (const nlohmann::json::exception &) {
    return options;
  }
  auto contradicts = [](int64_t asked, int64_t said) { return asked > 1 && asked != said; };
  auto stages = static_cast<int64_t>(all.stageNodes.size());
  if (stages > 0 && contradicts(options.stages, stages))
    return std::unexpected(fmt::format("--stages asks for {} stages, the constraints name {}", options.stages, stages));
  if (contradicts(options.microbatches, all.microbatches))
    return std::unexpected(
        fmt::format("--microbatches asks for {}, the constraints for {}", options.microbatches, all.microbatches));
  all.stages = stages > 0 ? stages : options.stages;
  return all;
}

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
