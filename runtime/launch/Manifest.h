// The manifest of a package: what `NAME.froe/` holds and what its program expects. The compiler writes it, the launcher
// reads it.
#pragma once

#include "froe_rt.h"

#include <cstdint>
#include <expected>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace froe {

/// manifest.json. Its `manifest_hash` (not a field here) covers all other fields; read and write take care of it.
struct Manifest {
  struct Axis {
    std::string name;
    int64_t size = 1;
  };
  struct Tensor {
    std::string name;
    froe_type type = FROE_F32;
    std::vector<int64_t> shape; // global
  };
  struct File {
    std::string name; // relative to the package
    uint64_t bytes = 0;
    std::string hash; // hashFile()
  };

  std::string froeVersion;
  uint32_t abi = FROE_RT_ABI_VERSION;
  std::string planHash; // equal to froe_program::plan_hash
  std::vector<Axis> mesh;
  int ranks = 1;
  std::vector<Tensor> inputs, outputs; // in the order of froe_program
  uint64_t arenaBytes = 0;             // of each rank
  std::string target;                  // what ranks run on: `cpu` or `cuda`
  std::vector<std::string> archs;      // of GPUs: those that it has machine code for; newer ones compile its PTX
  std::string cpu;                     // the processor it was compiled for, by LLVM's name
  std::vector<std::string> extensions; // of the instruction set (runtime/cpu/Extensions.h), that it uses
  File program;                        // `program`
  std::vector<File> weights;           // `rank<R>.safetensors`, one per rank
  nlohmann::json predicted = nlohmann::json::object(); // {latency_ms, peak_bytes (the arena), ...}
  nlohmann::json options = nlohmann::json::object();   // what the package was compiled with
};

/// "xxh3:" and 16 hex digits.
std::string hashBytes(const void *data, size_t bytes);

/// hashBytes of a file's contents, which are mapped, not read. Errors name the file.
std::expected<std::string, std::string> hashFile(const std::filesystem::path &file);

/// Size and hash of `package`/`name`.
std::expected<Manifest::File, std::string> describeFile(const std::filesystem::path &package, const std::string &name);

/// Reads and checks `package`/manifest.json: hash, version, ABI, and that its fields agree with each other.
std::expected<Manifest, std::string> readManifest(const std::filesystem::path &package);

/// Writes `package`/manifest.json.
std::expected<void, std::string> writeManifest(const std::filesystem::path &package, const Manifest &manifest);

/// Checks that this processor has what the package's code uses.
std::expected<void, std::string> checkProcessor(const std::filesystem::path &package, const Manifest &manifest);

/// Checks that the package's files are those of the manifest: the program by hash, weights by size, and with
/// `contents` by hash too.
std::expected<void, std::string> checkPackage(const std::filesystem::path &package, const Manifest &manifest,
                                              bool contents);

} // namespace froe
