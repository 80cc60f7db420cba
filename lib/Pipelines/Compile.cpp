#include "froe/Pipelines/Compile.h"

#include "dialects/Rank/Rank.h"
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

bool isModuleText(const std::string &file) { return std::filesystem::path(file).extension() == ".mlir"; }

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
      return {};
  } else {
    auto module = importOnnx(*context, options.model, options.import);
    if (!module)
      return std::unexpected(CompileFailure{module.error().exitCode, module.error().lines});
    root = std::move(*module);
  }
  if (auto done = simplifyProgram(*root); !done)
    return bug(done.error());
  return {};
}

Compiled<void> Compilation::advanceTo(Phase phase) {
  if (!root) {
    if (auto done = start(); !done)
      return done;
    if (auto done = dump(); !done)
      return done;
  }
  Phase now = *phaseOf(*root);
  if (now > phase)
    return wrong("'" + options.model + "' is in phase '" + std::string(name(now)) + "', behind '" +
                 std::string(name(phase)) + "'");
  for (Phase next : kPhases)
    if (next > now && next <= phase && next != Phase::Exe) {
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
    Compiled<PlanResult> plan = choosePlan();
    if (!plan)
      return std::unexpected(plan.error());
    applyPlan(*root, *plan);
    setPhase(*root, Phase::Plan);
    planResult = std::move(*plan);
    return {};
  }
  Stopwatch watch(times, std::string(name(next)));
  options.progress(next == Phase::Rank ? "partitioning" : next == Phase::Kernels ? "forming kernels" : "lowering");
  if (auto done = advance(*root, next, options.cluster); !done)
    return bug(done.error());
  return next == Phase::Kernels ? noteMemory() : Compiled<void>();
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

Compiled<PlanResult> Compilation::makePlan() {
  for (Phase phase : {Phase::Program, Phase::Kernels})
    if (auto done = advanceTo(phase); !done)
      return std::unexpected(done.error());
  return *planResult;
}

Compiled<PlanResult> Compilation::choosePlan() {
  Stopwatch watch(times, "plan");
  options.progress("planning");
  std::expected<Cluster, std::string> cluster = Cluster::load(options.cluster);
  if (!cluster)
    return wrong(cluster.error());
  Compiled<Mesh> mesh = chooseMesh(*cluster);
  if (!mesh)
    return std::unexpected(mesh.error());
  std::expected<PlanResult, std::string> result = plan(*root, *mesh, *cluster, options.plan);
  if (!result)
    return std::unexpected(CompileFailure{1, linesOf(result.error())});
  return std::move(*result);
}

Compiled<Mesh> Compilation::chooseMesh(const Cluster &cluster) const {
  std::string text = options.mesh;
  if (text.empty() && !options.plan.planFile.empty()) {
    std::expected<Mesh, std::string> mesh = meshOfPlanFile(options.plan.planFile);
    if (!mesh)
      return wrong(mesh.error());
    return *mesh;
  }
  if (text.empty() || text == "auto")
    text = std::to_string(options.devices > 0 ? options.devices : std::max<int64_t>(cluster.devices, 1));
  std::expected<Mesh, std::string> mesh = Mesh::parse(text);
  if (!mesh)
    return wrong(mesh.error());
  // A rank is a process: far more of them than cores is a mistake.
  int64_t most = 32 * std::max(1u, std::thread::hardware_concurrency());
  std::string holder = "this host";
  if (cluster.devices > 0)
    most = cluster.devices, holder = "cluster '" + options.cluster + "'";
  if (options.devices > 0 && options.devices < most)
    most = options.devices, holder = "--devices";
  if (mesh->deviceCount() > most)
    return wrong("mesh '" + text + "' has " + std::to_string(mesh->deviceCount()) + " devices, but " + holder +
                 " allows at most " + std::to_string(most));
  return *mesh;
}

Compiled<void> Compilation::dump() {
  if (options.dumpFolder.empty())
    return {};
  std::error_code error;
  std::filesystem::create_directories(options.dumpFolder, error);
  std::string phase(name(*phaseOf(*root)));
  std::filesystem::path file =
      std::filesystem::path(options.dumpFolder) / (std::to_string(dumps++) + "-" + phase + ".mlir");
  std::ofstream stream(file);
  stream << printPhase(*root, /*elide=*/true);
  stream.close();
  if (!stream)
    return wrong("cannot write '" + file.string() + "'");
  return {};
}

std::filesystem::path Compilation::modelFolder() {
  auto source = (*root)->getAttrOfType<StringAttr>(FroeDialect::kSource);
  std::filesystem::path path = source ? source.str() : options.model;
  return path.parent_path();
}

} // namespace froe
