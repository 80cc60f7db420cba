#include "Command.h"

#include "froe/Target/StagedFolder.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Manifest.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace froe {
namespace {

struct Arguments {
  std::string model, package;
  double relative = 1e-3, absolute = 1e-4;
  uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                     : exponent == 31 ? (mantissa ? NAN : INFINITY)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

template <class T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double element(const Array &array, int64_t index) {
  const std::byte *data = array.data.data();
  switch (array.type) {
  case FROE_F32:
    return load<float>(data + 4 * index);
  case FROE_F64:
    return load<double>(data + 8 * index);
  case FROE_F16:
    return halfToDouble(load<uint16_t>(data + 2 * index));
  case FROE_BF16:
    return std::bit_cast<float>(uint32_t(load<uint16_t>(data + 2 * index)) << 16);
  case FROE_I8:
    return load<int8_t>(data + index);
  case FROE_I16:
    return load<int16_t>(data + 2 * index);
  case FROE_I32:
    return load<int32_t>(data + 4 * index);
  case FROE_I64:
    return double(load<int64_t>(data + 8 * index));
  case FROE_U8:
  case FROE_BOOL:
    return load<uint8_t>(data + index);
  case FROE_U16:
    return load<uint16_t>(data + 2 * index);
  case FROE_U32:
    return load<uint32_t>(data + 4 * index);
  case FROE_U64:
    return double(load<uint64_t>(data + 8 * index));
  }
  return NAN;
}

struct Difference {
  double absolute = 0, relative = 0;
  bool ok = true;
};

Difference compare(const Array &found, const Array &expected, const Arguments &limits) {
  Difference difference;
  if (found.shape != expected.shape || found.type != expected.type)
    return {INFINITY, INFINITY, false};
  for (int64_t i = 0; i < expected.elements(); ++i) {
    double a = element(found, i), b = element(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : INFINITY;
    difference.absolute = std::max(difference.absolute, distance);
    difference.relative = std::max(difference.relative, b == 0 ? INFINITY : distance / std::abs(b));
    difference.ok &= distance <= limits.absolute + limits.relative * std::abs(b);
  }
  return difference;
}

/// Compiles the model for one rank, bound as the package was.
Compiled<void> compileReference(const Arguments &arguments, const Manifest &manifest,
                                const std::filesystem::path &folder) {
  CompileOptions options;
  options.model = arguments.model;
  options.import.dims = manifest.options.value("dims", options.import.dims);
  options.import.shapes = manifest.options.value("shapes", options.import.shapes);
  options.import.constants = manifest.options.value("constants", options.import.constants);
  options.mesh = "1";
  options.plan.alternatives = false;
  options.progress = progressLine();
  Compilation compilation(options);
  if (auto done = compilation.advanceTo(Phase::LLVM); !done)
    return done;
  return compilation.writePackage(folder);
}

/// Why a package is not of this model, if it is not: tensors by name, type and shape.
std::optional<std::string> findOther(const char *what, const std::vector<Manifest::Tensor> &found,
                                     const std::vector<Manifest::Tensor> &expected) {
  auto text = [](const std::vector<Manifest::Tensor> &tensors, size_t i) {
    return i < tensors.size() ? fmt::format("'{}' {}", tensors[i].name, describe(tensors[i].type, tensors[i].shape))
                              : "none";
  };
  for (size_t i = 0; i < std::max(found.size(), expected.size()); ++i)
    if (text(found, i) != text(expected, i))
      return fmt::format("{} {}, the model's is {}", what, text(found, i), text(expected, i));
  return std::nullopt;
}

int verify(const Arguments &arguments) {
  std::expected<Manifest, std::string> manifest = readManifest(arguments.package);
  if (!manifest)
    return report(1, {manifest.error()});
  std::string name = (std::filesystem::temp_directory_path() / "froe-verify-XXXXXX").string();
  if (!mkdtemp(name.data()))
    return report(1, {fmt::format("cannot create a folder in '{}'", std::filesystem::temp_directory_path().string())});
  struct Remover {
    std::filesystem::path path;
    ~Remover() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } folder{name};
  if (auto done = compileReference(arguments, *manifest, folder.path / "reference.froe"); !done)
    return report(done.error());

  std::expected<Manifest, std::string> reference = readManifest(folder.path / "reference.froe");
  if (!reference)
    return report(3, {reference.error()});
  for (auto why : {findOther("input", manifest->inputs, reference->inputs),
                   findOther("output", manifest->outputs, reference->outputs)})
    if (why)
      return report(1, {fmt::format("'{}' was not made from '{}': its {}", arguments.package, arguments.model, *why)});

  RunOptions options;
  options.randomInputs = true;
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  options.package = folder.path / "reference.froe";
  std::expected<RunResult, Failure> expected = launch(options);
  if (!expected)
    return report(expected.error().exitCode, {expected.error().message});
  options.package = arguments.package;
  options.check = true;
  std::expected<RunResult, Failure> found = launch(options);
  if (!found)
    return report(found.error().exitCode, {found.error().message});

  bool ok = found->outputs.size() == expected->outputs.size();
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (size_t i = 0; i < std::min(found->outputs.size(), expected->outputs.size()); ++i) {
    Difference difference = compare(found->outputs[i].array, expected->outputs[i].array, arguments);
    ok &= difference.ok;
    outputs.push_back({{"name", expected->outputs[i].name},
                       {"max_abs", difference.absolute},
                       {"max_rel", difference.relative},
                       {"ok", difference.ok}});
    if (!arguments.json)
      fmt::print("output '{}': largest difference {:.3g} absolute, {:.3g} relative: {}\n", expected->outputs[i].name,
                 difference.absolute, difference.relative, difference.ok ? "ok" : "differs");
  }
  if (arguments.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"ok", ok}, {"outputs", outputs}}.dump());
  return ok ? 0 : report(3, {"the package does not compute what the unsharded model does"});
}

} // namespace

Action addVerify(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  command.add_option("model", arguments->model, "the model that the package was made from")
      ->required()
      ->type_name("MODEL");
  command.add_option("package", arguments->package, "the package")->required()->type_name("P.froe");
  auto addNumber = [&](const char *name, auto &value, const char *what) {
    command.add_option(name, value, what)->capture_default_str()->type_name("X");
  };
  addNumber("--rtol", arguments->relative, "relative difference that is allowed");
  addNumber("--atol", arguments->absolute, "absolute difference that is allowed, added to it");
  addNumber("--seed", arguments->seed, "of the made-up inputs");
  command.add_option("--threads", arguments->threads, "threads of each rank; default: cores divided by ranks")
      ->type_name("N");
  addJson(command, arguments->json);
  return [arguments] { return verify(*arguments); };
}

} // namespace froe
