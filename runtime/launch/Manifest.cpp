#include "runtime/launch/Manifest.h"

#include "runtime/core/ElementType.h"
#include "runtime/cpu/Extensions.h"
#include "runtime/launch/Array.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace froe {

using nlohmann::json;

namespace {

constexpr int kFormat = 3; // of manifest.json

json tensorsToJson(const std::vector<Manifest::Tensor> &tensors) {
  json list = json::array();
  for (const Manifest::Tensor &tensor : tensors) {
    const rt::ElementType &type = rt::elementType(tensor.type);
    list.push_back({{"name", tensor.name}, {"type", type.name}, {"shape", tensor.shape}, {"npy", type.npyDescr}});
  }
  return list;
}

std::vector<Manifest::Tensor> tensorsFromJson(const json &list) {
  std::vector<Manifest::Tensor> tensors;
  for (const json &value : list) {
    auto type = rt::elementTypeNamed(value.at("type").get<std::string>());
    if (!type)
      throw std::invalid_argument(fmt::format("element type '{}' is unknown", value.at("type").get<std::string>()));
    tensors.push_back({value.at("name"), *type, value.at("shape")});
  }
  return tensors;
}

json fileToJson(const Manifest::File &file) {
  return {{"name", file.name}, {"bytes", file.bytes}, {"hash", file.hash}};
}

Manifest::File fileFromJson(const json &value) { return {value.at("name"), value.at("bytes"), value.at("hash")}; }

json toJson(const Manifest &manifest) {
  json mesh = json::array(), weights = json::array();
  for (const Manifest::Axis &axis : manifest.mesh)
    mesh.push_back({{"name", axis.name}, {"size", axis.size}});
  for (const Manifest::File &file : manifest.weights)
    weights.push_back(fileToJson(file));
  return {{"format", kFormat},
          {"froe_version", manifest.froeVersion},
          {"abi", manifest.abi},
          {"plan_hash", manifest.planHash},
          {"mesh", mesh},
          {"ranks", manifest.ranks},
          {"inputs", tensorsToJson(manifest.inputs)},
          {"outputs", tensorsToJson(manifest.outputs)},
          {"arena_bytes", manifest.arenaBytes},
          {"target", manifest.target},
          {"archs", manifest.archs},
          {"cpu", manifest.cpu},
          {"extensions", manifest.extensions},
          {"program", fileToJson(manifest.program)},
          {"weights", weights},
          {"predicted", manifest.predicted},
          {"options", manifest.options}};
}

/// Throws what nlohmann_json and tensorsFromJson throw.
Manifest fromJson(const json &value) {
  Manifest manifest;
  manifest.froeVersion = value.at("froe_version");
  manifest.abi = value.at("abi");
  manifest.planHash = value.at("plan_hash");
  for (const json &axis : value.at("mesh"))
    manifest.mesh.push_back({axis.at("name"), axis.at("size")});
  manifest.ranks = value.at("ranks");
  manifest.inputs = tensorsFromJson(value.at("inputs"));
  manifest.outputs = tensorsFromJson(value.at("outputs"));
  manifest.arenaBytes = value.at("arena_bytes");
  manifest.target = value.at("target");
  manifest.archs = value.at("archs");
  manifest.cpu = value.at("cpu");
  manifest.extensions = value.at("extensions");
  manifest.program = fileFromJson(value.at("program"));
  for (const json &file : value.at("weights"))
    manifest.weights.push_back(fileFromJson(file));
  manifest.predicted = value.at("predicted");
  manifest.options = value.at("options");
  return manifest;
}

/// Over everything but the hash itself; keys are sorted, so equal contents give equal text.
std::string manifestHash(json value) {
  value.erase("manifest_hash");
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return hashBytes(text.data(), text.size());
}

std::string checkFields(const Manifest &manifest) {
  if (manifest.abi != FROE_RT_ABI_VERSION)
    return fmt::format("the package's ABI is {}, this froe's {}: compile it again", manifest.abi, FROE_RT_ABI_VERSION);
  int64_t product = 1;
  for (const Manifest::Axis &axis : manifest.mesh)
    product *= axis.size;
  if (manifest.ranks < 1 || product != manifest.ranks)
    return fmt::format("{} ranks do not fill a mesh of {}", manifest.ranks, product);
  if (manifest.weights.size() != size_t(manifest.ranks))
    return fmt::format("{} weight files for {} ranks", manifest.weights.size(), manifest.ranks);
  for (const auto *tensors : {&manifest.inputs, &manifest.outputs})
    for (const Manifest::Tensor &tensor : *tensors)
      if (auto elements = elementsOf(tensor.shape); !elements)
        return fmt::format("'{}': {}", tensor.name, elements.error());
  return {};
}

} // namespace

std::string hashBytes(const void *data, size_t bytes) { return fmt::format("xxh3:{:016x}", XXH3_64bits(data, bytes)); }

std::expected<std::string, std::string> hashFile(const std::filesystem::path &file) {
  auto error = [&] { return std::unexpected(fmt::format("{}: cannot be read: {}", file.string(), strerror(errno))); };
  int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return error();
  size_t size = size_t(status.st_size);
  void *data = size ? mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0) : nullptr;
  close(descriptor);
  if (data == MAP_FAILED)
    return error();
  std::string hash = hashBytes(data ? data : "", size);
  if (data)
    munmap(data, size);
  return hash;
}

std::expected<Manifest::File, std::string> describeFile(const std::filesystem::path &package, const std::string &name) {
  auto hash = hashFile(package / name);
  if (!hash)
    return std::unexpected(hash.error());
  return Manifest::File{name, std::filesystem::file_size(package / name), *hash};
}

std::expected<Manifest, std::string> readManifest(const std::filesystem::path &package) {
  std::filesystem::path file = package / "manifest.json";
  auto error = [&](std::string_view message) { return std::unexpected(fmt::format("{}: {}", file.string(), message)); };
  std::ifstream stream(file);
  if (!stream)
    return error(std::filesystem::is_directory(package) ? "is missing: not a package" : "there is no such package");
  json value = json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object() || !value.contains("manifest_hash"))
    return error("is not a manifest");
  if (value.value("format", json()) != json(kFormat))
    return error("was written by another version of froe: compile the package again");
  if (value["manifest_hash"] != json(manifestHash(value)))
    return error("was changed after it was written: compile the package again");
  try {
    Manifest manifest = fromJson(value);
    if (std::string wrong = checkFields(manifest); !wrong.empty())
      return error(wrong);
    return manifest;
  } catch (const std::exception &exception) {
    return error(exception.what());
  }
}

std::expected<void, std::string> writeManifest(const std::filesystem::path &package, const Manifest &manifest) {
  json value = toJson(manifest);
  value["manifest_hash"] = manifestHash(value);
  std::filesystem::path file = package / "manifest.json";
  std::ofstream stream(file, std::ios::trunc);
  stream << value.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  stream.close();
  if (!stream)
    return std::unexpected(fmt::format("{}: cannot be written: {}", file.string(), strerror(errno)));
  return {};
}

namespace {

std::expected<void, std::string> checkFile(const std::filesystem::path &package, const Manifest::File &file,
                                           bool contents) {
  std::filesystem::path path = package / file.name;
  std::error_code code;
  uint64_t bytes = std::filesystem::file_size(path, code);
  if (code)
    return std::unexpected(fmt::format("{}: {}", path.string(), code.message()));
  if (bytes != file.bytes)
    return std::unexpected(
        fmt::format("{}: has {} bytes, the package's manifest says {}: the package was changed or mixed with another",
                    path.string(), bytes, file.bytes));
  if (!contents)
    return {};
  auto hash = hashFile(path);
  if (!hash)
    return std::unexpected(hash.error());
  if (*hash != file.hash)
    return std::unexpected(fmt::format(
        "{}: its contents are not those of the package's manifest: the package was changed or mixed with another",
        path.string()));
  return {};
}

} // namespace

std::expected<void, std::string> checkProcessor(const std::filesystem::path &package, const Manifest &manifest) {
  std::vector<std::string> missing = cpu::missingExtensions(manifest.extensions);
  if (missing.empty())
    return {};
  return std::unexpected(fmt::format("{}: was compiled for '{}' and uses {}, which this processor has not: compile it "
                                     "here, or with '--cpu x86-64-v3' for any processor with AVX2",
                                     package.string(), manifest.cpu, fmt::join(missing, ", ")));
}

std::expected<void, std::string> checkPackage(const std::filesystem::path &package, const Manifest &manifest,
                                              bool contents) {
  if (auto program = checkFile(package, manifest.program, true); !program)
    return program;
  for (const Manifest::File &file : manifest.weights)
    if (auto weights = checkFile(package, file, contents); !weights)
      return weights;
  return {};
}

} // namespace froe
