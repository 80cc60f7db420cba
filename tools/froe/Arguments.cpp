#include "Command.h"

#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace froe {
namespace {

std::optional<int64_t> parseInteger(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return value;
}

/// `8x128`, or nothing for a scalar.
std::optional<std::vector<int64_t>> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  for (size_t begin = 0; begin <= text.size() && !text.empty();) {
    size_t end = std::min(text.find('x', begin), text.size());
    std::optional<int64_t> dim = parseInteger(std::string_view(text).substr(begin, end - begin));
    if (!dim || *dim < 0)
      return std::nullopt;
    shape.push_back(*dim);
    begin = end + 1;
  }
  return shape;
}

/// Bytes, with an optional unit: 4096, 512M, 16GiB, 80GB.
std::optional<int64_t> parseBytes(std::string text) {
  constexpr std::pair<std::string_view, int64_t> units[] = {
      {"KiB", 1LL << 10},    {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"KB", 1'000},   {"MB", 1'000'000},
      {"GB", 1'000'000'000}, {"K", 1LL << 10},   {"M", 1LL << 20},   {"G", 1LL << 30}};
  int64_t factor = 1;
  for (auto [unit, bytes] : units)
    if (text.ends_with(unit)) {
      text.resize(text.size() - unit.size());
      factor = bytes;
      break;
    }
  std::optional<int64_t> count = parseInteger(text);
  if (!count || *count <= 0 || *count > INT64_MAX / factor)
    return std::nullopt;
  return *count * factor;
}

} // namespace

void addModelOptions(CLI::App &command, ModelArguments &arguments) {
  command.add_option("model", arguments.model, "an .onnx file, or an .mlir file that --emit wrote")
      ->required()
      ->type_name("MODEL");
  auto addList = [&](const char *name, std::vector<std::string> &list, const char *form, const char *what) {
    command.add_option(name, list, what)->allow_extra_args(false)->type_name(form);
  };
  addList("--dim", arguments.dims, "NAME=SIZE", "binds a named dim of the inputs; once for each name");
  addList("--shape", arguments.shapes, "INPUT=8x128",
          "gives an input a whole shape, also where its dims have no names");
  addList("--const", arguments.constants, "INPUT=V,V",
          "fixes an input to these elements, row-major; it is none any more");
}

void addPlanOptions(CLI::App &command, PlanArguments &arguments) {
  command
      .add_option("--mesh", arguments.mesh,
                  "grid of ranks (of a stage): 2, 2x4 or data=2,model=4; auto: the best of all")
      ->type_name("MESH");
  command.add_option("--devices", arguments.devices, "how many devices to use; default: the cluster's, or the mesh's")
      ->check(positive())
      ->type_name("N");
  command
      .add_option("--cluster", arguments.cluster,
                  "what to plan for: a preset (cpu, cpu:4, h100:8x4) or a file; default: cpu, or what suits the target")
      ->type_name("NAME");
  command
      .add_option("--memory", arguments.memory, "what a rank may use: 4096, 512M, 16GiB, 80GB; default: the cluster's")
      ->type_name("BYTES");
  CLI::Option *constrain =
      command
          .add_option("--constrain", arguments.constrain, "force a plan: replicated, data, tensor, or a file of pins")
          ->type_name("WHAT");
  command.add_option("--plan", arguments.planFile, "take all decisions from a plan.json")
      ->excludes(constrain)
      ->type_name("FILE");
  command
      .add_option("--stages", arguments.stages, "consecutive parts of the model on parts of the devices: 4, or auto")
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--microbatches", arguments.microbatches,
                  "parts of the batch that follow each other through the stages")
      ->capture_default_str()
      ->type_name("M");
  command.add_option("--objective", arguments.objective, "what to be best at: latency or throughput")
      ->capture_default_str()
      ->type_name("WHAT");
  command.add_option("--dtype", arguments.floatType, "type of floats and products: f32, tf32, bf16 or f16")
      ->type_name("TYPE");
}

std::expected<ImportOptions, std::string> importOptions(const ModelArguments &arguments) {
  ImportOptions options;
  for (const std::string &text : arguments.dims) {
    auto parts = splitAssignment(text);
    std::optional<int64_t> size = parts ? parseInteger(parts->second) : std::nullopt;
    if (!size || *size < 0)
      return std::unexpected(fmt::format("--dim: expected NAME=VALUE with a size of at least 0, found '{}'", text));
    if (!options.dims.emplace(parts->first, *size).second)
      return std::unexpected(fmt::format("--dim: '{}' is given twice", parts->first));
  }
  for (const std::string &text : arguments.shapes) {
    auto parts = splitAssignment(text);
    auto shape = parts ? parseShape(parts->second) : std::nullopt;
    if (!shape)
      return std::unexpected(fmt::format("--shape: expected INPUT=8x128, found '{}'", text));
    if (!options.shapes.emplace(parts->first, *shape).second)
      return std::unexpected(fmt::format("--shape: '{}' is given twice", parts->first));
  }
  for (const std::string &text : arguments.constants) {
    auto parts = splitAssignment(text);
    if (!parts)
      return std::unexpected(fmt::format("--const: expected INPUT=VALUES, found '{}'", text));
    if (!options.constants.insert(*parts).second)
      return std::unexpected(fmt::format("--const: '{}' is given twice", parts->first));
  }
  return options;
}

/// A number of at least 1, or 0 for `auto`.
static std::expected<int64_t, std::string> countOrAuto(const char *option, const std::string &text) {
  std::optional<int64_t> count = text == "auto" ? 0 : parseInteger(text);
  if (!count || (*count < 1 && text != "auto"))
    return std::unexpected(fmt::format("{}: expected a number of at least 1 or auto, found '{}'", option, text));
  return *count;
}

/// How stages and their work are chosen.
static std::optional<std::string> readPipeline(const PlanArguments &arguments, PlanOptions &options) {
  for (auto [option, text, value] : {std::tuple("--stages", &arguments.stages, &options.stages),
                                     {"--microbatches", &arguments.microbatches, &options.microbatches}}) {
    std::expected<int64_t, std::string> count = countOrAuto(option, *text);
    if (!count)
      return count.error();
    *value = *count;
  }
  if (arguments.objective != "latency" && arguments.objective != "throughput")
    return fmt::format("--objective: expected latency or throughput, found '{}'", arguments.objective);
  options.objective = arguments.objective == "latency" ? Objective::Latency : Objective::Throughput;
  options.fewerDevices = arguments.mesh == "auto" || arguments.devices > 0;
  return std::nullopt;
}

std::expected<CompileOptions, std::string> compileOptions(const ModelArguments &model, const PlanArguments &plan) {
  std::expected<ImportOptions, std::string> import = importOptions(model);
  if (!import)
    return std::unexpected(import.error());
  CompileOptions options;
  options.model = model.model;
  options.import = *import;
  constexpr std::string_view types[] = {"", "f32", "tf32", "bf16", "f16"};
  if (std::ranges::find(types, plan.floatType) == std::end(types))
    return std::unexpected(fmt::format("--dtype: expected f32, tf32, bf16 or f16, found '{}'", plan.floatType));
  options.floats = plan.floatType == "f32" ? "" : plan.floatType;
  options.mesh = plan.mesh;
  options.devices = plan.devices;
  options.cluster = plan.cluster;
  options.plan.constrain = plan.constrain;
  options.plan.planFile = plan.planFile;
  if (auto wrong = readPipeline(plan, options.plan))
    return std::unexpected(*wrong);
  if (!plan.memory.empty()) {
    std::optional<int64_t> bytes = parseBytes(plan.memory);
    if (!bytes)
      return std::unexpected(fmt::format("--memory: expected a number of bytes such as 512M, found '{}'", plan.memory));
    options.plan.memoryBytes = *bytes;
  }
  return options;
}

int report(const CompileFailure &failure) { return report(failure.exitCode, failure.lines); }

std::function<void(std::string_view)> progressLine() {
  if (!isatty(STDERR_FILENO))
    return [](std::string_view) {};
  return [begin = std::chrono::steady_clock::now()](std::string_view work) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(1))
      fmt::print(stderr, "froe: {}\n", work);
  };
}

} // namespace froe
