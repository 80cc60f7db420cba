#include "froe/Pipelines/Compile.h"

#include "dialects/Rank/MatmulShape.h"
#include "froe/Target/HostProgram.h"
#include "froe/Target/StagedFolder.h"
#include "froe/Target/WeightFiles.h"
#include "runtime/launch/Manifest.h"

#include <chrono>
#include <fstream>

using namespace mlir;

namespace froe {
namespace {

template <class T> Compiled<T> asUserError(std::expected<T, std::string> result) {
  if (!result)
    return std::unexpected(CompileFailure{1, {result.error()}});
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return std::move(*result);
}

std::vector<Manifest::Tensor> tensorsOf(const std::vector<Package::Port> &ports) {
  std::vector<Manifest::Tensor> tensors;
  for (const Package::Port &port : ports)
    tensors.push_back({port.name, rank::elementTypeOf(port.type), port.type.getShape().vec()});
  return tensors;
}

Manifest describe(const Package &package, const std::optional<PlanResult> &plan, const CompileOptions &options,
                  const HostTarget &target) {
  Manifest manifest;
  manifest.froeVersion = FROE_VERSION;
  manifest.planHash = package.planHash;
  for (const MeshAxis &axis : package.mesh.axes)
    manifest.mesh.push_back({axis.name, axis.size});
  manifest.ranks = package.mesh.deviceCount();
  manifest.inputs = tensorsOf(package.inputs);
  manifest.outputs = tensorsOf(package.outputs);
  manifest.arenaBytes = package.arenaBytes;
  manifest.target = options.target->isCuda() ? "cuda" : "cpu";
  manifest.archs = options.target->archs;
  manifest.cpu = target.cpu;
  manifest.extensions = extensionsOf(target);
  if (plan)
    manifest.predicted = planToJson(*plan)["predicted"];
  manifest.options = {{"model", options.model},
                      {"cluster", options.cluster},
                      {"constrain", options.plan.constrain},
                      {"dims", options.import.dims},
                      {"constants", options.import.constants},
                      {"shapes", options.import.shapes},
                      {"target", options.target->str()}};
  return manifest;
}

std::expected<void, std::string> writeText(const std::filesystem::path &file, const std::string &text) {
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream)
    return std::unexpected("cannot write '" + file.string() + "': " + std::strerror(errno));
  return {};
}

} // namespace

Compiled<void> Compilation::writePackage(const std::filesystem::path &folder) {
  auto begin = std::chrono::steady_clock::now();
  Compiled<StagedFolder> staged = asUserError(StagedFolder::create(folder));
  if (!staged)
    return std::unexpected(staged.error());
  if (auto done = writeFiles(staged->path()); !done)
    return done;
  if (auto done = asUserError(staged->commit()); !done)
    return done;
  times.emplace_back("exe", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return {};
}

Compiled<void> Compilation::writeFiles(const std::filesystem::path &folder) {
  options.progress("writing weights");
  if (auto done = asUserError(writeWeightFiles(contents, modelFolder(), folder)); !done)
    return done;

  options.progress("generating code");
  Compiled<HostTarget> target = asUserError(targetNamed(processor()));
  if (!target)
    return std::unexpected(target.error());
  std::string object = folder / "program.o", program = folder / "program";
  if (auto done = asUserError(writeObject(*root, *target, object)); !done)
    return done;
  if (auto done = asUserError(linkProgram(object, program)); !done)
    return done;
  std::filesystem::remove(object);

  Manifest manifest = describe(contents, planResult, options, *target);
  Compiled<Manifest::File> file = asUserError(describeFile(folder, "program"));
  if (!file)
    return std::unexpected(file.error());
  manifest.program = *file;
  for (int rank = 0; rank < manifest.ranks; ++rank) {
    file = asUserError(describeFile(folder, weightFileName(rank)));
    if (!file)
      return std::unexpected(file.error());
    manifest.weights.push_back(*file);
  }
  if (planResult) // and what further questions about it are answered from
    for (auto &[file, text] :
         {std::pair("plan.json", planToJson(*planResult).dump(2) + "\n"), {"program.mlir", programText}})
      if (auto done = asUserError(writeText(folder / file, text)); !done)
        return done;
  return asUserError(writeManifest(folder, manifest));
}

} // namespace froe
