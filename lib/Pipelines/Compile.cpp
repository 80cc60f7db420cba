#include "froe/Pipelines/Compile.h"

#include "dialects/Rank/Rank.h"
#include "froe/Target/Cuda.h"
#include "froe/Target/HostProgram.h"
#include "froe/Transforms/ApplyPlan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>
#include <fstream>
#include <thread>

using namespace mlir;

namespace froe {
namespace {

std::unexpected<CompileFailure> wrong(std::string line) {
  return std::unexpected(CompileFailure{1, {std::move(line)}});
}
std::unexpected<CompileFailure> bug(Complaints lines) { return std::unexpected(CompileFailure{3, std::move(lines)}); }

/// Splits a message of several lines.
Complaints linesOf(const std::string &message) {
  Complaints lines;
  for (auto part : llvm::split(message, '\n'))
    lines.push_back(part.str());
  return lines;
}

/// What to plan for where nobody says: the server that the newest architecture is in.
std::string usualCluster(const ProgramTarget &target) {
  int newest = target.isCuda() ? archNumber(target.archs.back()) : 0;
  return newest >= 100 ? "b200" : newest >= 90 ? "h100" : newest >= 80 ? "a100-80g" : "cpu";
}

bool isModuleText(const std::string &file) { return std::filesystem::path(file).extension() == ".mlir"; }

/// Why a plan is only a plan so far.
std::optional<std::string> whyNotRunnable(const PlanResult &plan) {
  if (plan.stages.size() > 1 || plan.microbatches > 1)
    return "a plan of " + std::to_string(plan.stages.size()) + " stages and " + std::to_string(plan.microbatches) +
           " microbatches cannot be compiled: running stages is not supported yet";
  return std::nullopt;
}

class Stopwatch {
public:
  Stopwatch(std::vector<std::pair<std::string, double>> &times, std::string name)
      : times(times), name(std::move(name)) {}
  ~Stopwatch() {
    times.emplace_back(name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

private:
  std::vector<std::pair<std::string, double>> &times;
  std::string name;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace

Compilation::Compilation(CompileOptions options) : options(std::move(options)) {
  DialectRegistry registry;
  registerDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false); // names of nodes say more
}

Compilation::~Compilation() = default;

Compiled<void> Compilation::start() {
  Stopwatch watch(times, "program");
  options.progress("reading the model");
  if (isModuleText(options.model)) {
    auto module = readModule(*context, options.model);
    if (!module)
      return std::unexpected(CompileFailure{1, module.error()});
    root = std::move(*module);
    // Weights' files lie beside the model, wherever later phases are written.
    if (!(*root)->hasAttr(FroeDialect::kSource))
      (*root)->setAttr(FroeDialect::kSource, StringAttr::get(context.get(), options.model));
    if (phaseOf(*root))
      return settleChoices();
  } else {
    auto module = importOnnx(*context, options.model, options.import);
    if (!module)
      return std::unexpected(CompileFailure{module.error().exitCode, module.error().lines});
    root = std::move(*module);
  }
  if (auto done = simplifyProgram(*root, options.floats); !done)
    return bug(done.error());
  return settleChoices();
}

/// What was chosen earlier stands in the module.
Compiled<void> Compilation::settleChoices() {
  if (auto done = settleFloats(); !done)
    return done;
  return settleTarget();
}

/// What --dtype made of the program, also where it was said earlier.
Compiled<void> Compilation::settleFloats() {
  auto stated = (*root)->getAttrOfType<StringAttr>(FroeDialect::kFloats);
  options.plan.floatType = stated ? stated.str() : "";
  if (options.floats.empty() || options.floats == options.plan.floatType)
    return {};
  return wrong("--dtype " + options.floats + ": '" + options.model + "' is in phase '" +
               std::string(name(*phaseOf(*root))) + "', where floats are " +
               (stated ? stated.str() : "those of the model") + " for good");
}

/// The target that the user or the module says, in both.
Compiled<void> Compilation::settleTarget() {
  std::optional<ProgramTarget> stated = statedTarget(*root);
  if (!stated && *phaseOf(*root) >= Phase::LLVM)
    stated = ProgramTarget{};
  if (stated && options.target && stated->str() != options.target->str())
    return wrong("'" + options.model + "' is a program for target '" + stated->str() + "', not '" +
                 options.target->str() + "'");
  if (!options.target)
    options.target = stated.value_or(ProgramTarget{});
  if (options.target->isCuda())
    setTarget(*root, *options.target);
  clusterIsUsual = options.cluster.empty();
  if (clusterIsUsual)
    options.cluster = usualCluster(*options.target);
  return {};
}

/// Programs for GPUs need NVIDIA's assembler; that is said before any work.
Compiled<void> Compilation::checkTools(Phase phase) const {
  if (!options.target || !options.target->isCuda() || phase < Phase::PTX)
    return {};
  std::expected<CudaToolkit, std::string> toolkit = findCudaToolkit();
  if (!toolkit)
    return wrong("--target " + options.target->str() + ": " + toolkit.error());
  if (auto known = checkArchs(options.target->archs, *toolkit); !known)
    return wrong("--target " + options.target->str() + ": " + known.error());
  return {};
}

Compiled<void> Compilation::advanceTo(Phase phase) {
  if (!root) {
    bool isChecked = options.target.has_value();
    if (auto done = checkTools(phase); !done)
      return done;
    if (auto done = start(); !done)
      return done;
    if (auto done = isChecked ? Compiled<void>() : checkTools(phase); !done)
      return done;
    if (auto done = dump(); !done)
      return done;
  }
  if (phase == Phase::PTX && !options.target->isCuda())
    return wrong("only programs for GPUs have phase 'ptx': give --target cuda");
  Phase now = *phaseOf(*root);
  if (now > phase)
    return wrong("'" + options.model + "' is in phase '" + std::string(name(now)) + "', behind '" +
                 std::string(name(phase)) + "'");
  for (Phase next : kPhases)
    if (next > now && next <= phase && next != Phase::Exe && (next != Phase::PTX || options.target->isCuda())) {
      if (auto done = step(next); !done)
        return done;
      if (auto done = dump(); !done)
        return done;
    }
  if (phase < Phase::LLVM)
    return {};
  std::expected<Package, std::string> package = getPackage(*root);
  if (!package)
    return wrong("'" + options.model + "': " + package.error());
  contents = std::move(*package);
  return {};
}

Compiled<void> Compilation::step(Phase next) {
  if (next == Phase::Plan) {
    if (!planResult) {
      Compiled<PlanResult> plan = choosePlan();
      if (!plan)
        return std::unexpected(plan.error());
      planResult = std::move(*plan);
    }
    if (std::optional<std::string> why = whyNotRunnable(*planResult))
      return std::unexpected(CompileFailure{2, {*why}});
    programText = printPhase(*root, /*elide=*/false);
    applyPlan(*root, *planResult);
    if (options.annotate)
      annotateCosts(*root, *planResult);
    setPhase(*root, Phase::Plan);
    return {};
  }
  Stopwatch watch(times, std::string(name(next)));
  options.progress(next == Phase::Rank ? "partitioning" : next == Phase::Kernels ? "forming kernels" : "lowering");
  if (next == Phase::LLVM)
    if (auto done = setIsa(); !done)
      return done;
  if (auto done = advance(*root, next, options.cluster); !done)
    return bug(done.error());
  return next == Phase::Kernels ? noteMemory() : Compiled<void>();
}

/// Weights are packed for the kernels of the processor that the package is for.
Compiled<void> Compilation::setIsa() {
  std::expected<HostTarget, std::string> target = targetNamed(processor());
  if (!target)
    return wrong("--cpu: " + target.error());
  if (!target->isa.empty() && !options.target->isCuda())
    (*root)->setAttr(kIsaAttribute, mlir::StringAttr::get(context.get(), target->isa));
  return {};
}

/// The forecast that the plan was chosen by may have been too low: a program that does not fit is refused here.
Compiled<void> Compilation::noteMemory() {
  auto main = root->lookupSymbol<func::FuncOp>("main");
  auto bytes = main ? main->getAttrOfType<IntegerAttr>(rank::RankDialect::kArenaBytes) : IntegerAttr();
  if (!planResult || !bytes)
    return {};
  planResult->arenaBytes = bytes.getInt();
  int64_t needed = bytes.getInt() + planResult->weightBytes;
  if (needed <= planResult->memoryLimitBytes)
    return {};
  std::string limit = std::to_string(planResult->memoryLimitBytes), total = std::to_string(needed);
  return std::unexpected(
      CompileFailure{1,
                     {"the plan that was found does not fit " + limit + " bytes per device: its program needs " + total,
                      "note: weights take " + std::to_string(planResult->weightBytes) +
                          " of them; a lower --memory leads to smaller plans"}});
}

Compiled<PlanResult> Compilation::makePlan(bool layOutMemory) {
  if (auto done = advanceTo(Phase::Program); !done)
    return std::unexpected(done.error());
  Compiled<PlanResult> plan = choosePlan();
  if (!plan)
    return plan;
  planResult = std::move(*plan);
  // Memory of other machines is theirs to lay out.
  if (layOutMemory && planMachine.hasMeasuredLinks() && !whyNotRunnable(*planResult))
    if (auto done = advanceTo(Phase::Kernels); !done)
      return std::unexpected(done.error());
  return *planResult;
}

Compiled<PlanResult> Compilation::choosePlan() {
  Stopwatch watch(times, "plan");
  options.progress("planning");
  std::expected<Cluster, std::string> cluster = options.machine ? *options.machine : Cluster::load(options.cluster);
  if (!cluster)
    return wrong(cluster.error());
  planMachine = *cluster;
  Compiled<Devices> devices = chooseDevices(*cluster);
  if (!devices)
    return std::unexpected(devices.error());
  std::expected<PlanResult, std::string> result =
      planOnDevices(*root, devices->count, devices->mesh, *cluster, options.plan);
  if (!result)
    return std::unexpected(CompileFailure{1, linesOf(result.error())});
  result->madeFor["model"] = options.model;
  result->madeFor["target"] = options.target->str();
  for (auto [name, known] : {std::pair("dims", nlohmann::ordered_json(options.import.dims)),
                             {"shapes", options.import.shapes},
                             {"constants", options.import.constants}})
    if (!known.empty())
      result->madeFor[name] = known;
  return std::move(*result);
}

Compiled<Compilation::Devices> Compilation::chooseDevices(const Cluster &cluster) const {
  Devices chosen{std::nullopt, options.devices > 0 ? options.devices : std::max<int64_t>(cluster.devices, 1)};
  std::string text = options.mesh == "auto" ? "" : options.mesh;
  if (!text.empty() || (options.mesh.empty() && !options.plan.planFile.empty())) {
    std::expected<Mesh, std::string> mesh = text.empty() ? meshOfPlanFile(options.plan.planFile) : Mesh::parse(text);
    if (!mesh)
      return wrong(mesh.error());
    chosen.mesh = *mesh;
    int64_t stages =
        options.plan.stages > 0 ? options.plan.stages : std::max<int64_t>(1, chosen.count / mesh->deviceCount());
    chosen.count = mesh->deviceCount() * stages;
  }
  // A rank is a process: far more of them than cores is a mistake.
  int64_t most = 32 * std::max(1u, std::thread::hardware_concurrency());
  std::string holder = "this host";
  if (cluster.devices > 0 || !cluster.hasMeasuredLinks())
    most = cluster.devices > 0 ? cluster.devices : INT64_MAX, holder = "cluster '" + options.cluster + "'";
  if (clusterIsUsual && options.target->isCuda())
    most = cluster.levels.front().devices, holder = "one host of cluster '" + options.cluster + "'";
  if (options.devices > 0 && options.devices < most && chosen.mesh)
    most = options.devices, holder = "--devices";
  if (chosen.count > most)
    return wrong(
        (chosen.mesh ? "mesh '" + (text.empty() ? chosen.mesh->str() : text) + "' has " : "--devices asks for ") +
        std::to_string(chosen.count) + " devices, but " + holder + " allows at most " + std::to_string(most));
  return chosen;
}

Compiled<void> Compilation::dump() {
  if (options.dumpFolder.empty())
    return {};
  std::error_code error;
  std::filesystem::create_directories(options.dumpFolder, error);
  std::string phase(name(*phaseOf(*root)));
  std::filesystem::path file = std::filesystem::path(options.dumpFolder) /
                               (std::to_string(dumps++) + "-" + phase + (phase == name(Phase::PTX) ? ".ptx" : ".mlir"));
  std::ofstream stream(file);
  stream << printPhase(*root, /*elide=*/true);
  stream.close();
  if (!stream)
    return wrong("cannot write '" + file.string() + "'");
  return {};
}

/// GPUs do the work of their ranks, so that one package serves all hosts.
std::string Compilation::processor() const {
  return options.target->isCuda() && options.cpu == "host" ? "generic" : options.cpu;
}

std::filesystem::path Compilation::modelFolder() {
  auto source = (*root)->getAttrOfType<StringAttr>(FroeDialect::kSource);
  std::filesystem::path path = source ? source.str() : options.model;
  return path.parent_path();
}

} // namespace froe
