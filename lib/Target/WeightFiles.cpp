#include "froe/Target/WeightFiles.h"

#include "OutputFile.h"
#include "WeightBlock.h"

#include "dialects/Rank/MatmulShape.h"
#include "runtime/core/ElementType.h"
#include "runtime/cpu/PackedWeights.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace froe {
namespace {

constexpr uint64_t kDataAlignment = 4096; ///< of the data section
constexpr uint64_t kTensorAlignment = 64;

uint64_t storedBytes(const Package::Weight &weight) {
  return weight.packed ? weight.packed->bytes : localBytes(weight);
}

uint64_t paddingBehind(uint64_t bytes, uint64_t alignment) { return (alignment - bytes % alignment) % alignment; }

/// The header of a safetensors file: each weight in order, named padding between them (the format allows no holes).
std::string makeHeader(const Package &package) {
  nlohmann::ordered_json header;
  nlohmann::ordered_json &metadata = header["__metadata__"];
  metadata["format"] = "froe";
  for (const Package::Weight &weight : package.weights)
    if (weight.packed)
      metadata["packing." + weight.name] = weight.packed->tag;
  uint64_t offset = 0;
  auto add = [&](const std::string &name, std::string_view type, std::vector<int64_t> shape, uint64_t bytes) {
    header[name] = {{"dtype", type}, {"shape", std::move(shape)}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  };
  int paddings = 0;
  for (const Package::Weight &weight : package.weights) {
    uint64_t bytes = storedBytes(weight);
    if (weight.packed)
      add(weight.name, "U8", {int64_t(bytes)}, bytes);
    else
      add(weight.name, rt::elementType(rank::elementTypeOf(weight.local)).safetensors, weight.local.getShape().vec(),
          bytes);
    if (uint64_t padding = paddingBehind(bytes, kTensorAlignment))
      add("__pad." + std::to_string(paddings++), "U8", {int64_t(padding)}, padding);
  }
  std::string text = header.dump();
  text.append(paddingBehind(text.size() + sizeof(uint64_t), kDataAlignment), ' ');
  return text;
}

std::expected<void, std::string> writeWeight(OutputFile &file, const Package::Weight &weight, ArrayRef<char> whole,
                                             const Mesh &mesh, int64_t rank) {
  WeightBlock block = cutBlock(weight, whole, mesh, rank);
  std::expected<void, std::string> done;
  if (weight.packed) {
    std::vector<char> packed(weight.packed->bytes);
    cpu::packWeight(weight.packed->matmul, {weight.packed->tag, weight.packed->bytes}, block.bytes.data(),
                    packed.data());
    block.copy = {};
    done = file.write(packed);
  } else {
    done = file.write({block.bytes.data(), block.bytes.size()});
  }
  return done ? file.writeZeros(paddingBehind(storedBytes(weight), kTensorAlignment)) : done;
}

std::expected<void, std::string> writeRank(const Package &package, WeightSources &sources, int64_t rank,
                                           const std::filesystem::path &path) {
  std::expected<OutputFile, std::string> file = OutputFile::create(path);
  if (!file)
    return std::unexpected(file.error());
  std::string header = makeHeader(package);
  uint64_t length = header.size();
  if (auto done = file->write({reinterpret_cast<const char *>(&length), sizeof(length)}); !done)
    return done;
  if (auto done = file->write(header); !done)
    return done;
  for (const Package::Weight &weight : package.weights) {
    std::expected<ArrayRef<char>, std::string> whole = sources.bytesOf(weight);
    if (!whole)
      return std::unexpected(whole.error());
    if (auto done = writeWeight(*file, weight, *whole, package.mesh, rank); !done)
      return done;
  }
  return file->close();
}

/// Which block of every weight a rank holds.
std::vector<int64_t> blocksOf(const Package &package, int64_t rank) {
  std::vector<int64_t> blocks;
  for (const Package::Weight &weight : package.weights)
    for (const AxisList &cut : weight.cuts)
      blocks.push_back(package.mesh.blockIndex(rank, cut));
  return blocks;
}

} // namespace

std::string weightFileName(int64_t rank) { return "rank" + std::to_string(rank) + ".safetensors"; }

std::expected<void, std::string> writeWeightFiles(const Package &package, const std::filesystem::path &modelFolder,
                                                  const std::filesystem::path &folder) {
  WeightSources sources(modelFolder);
  std::map<std::vector<int64_t>, std::filesystem::path> written;
  for (int64_t rank = 0; rank < package.mesh.deviceCount(); ++rank) {
    std::filesystem::path path = folder / weightFileName(rank);
    auto [same, isNew] = written.emplace(blocksOf(package, rank), path);
    std::error_code error;
    if (!isNew)
      std::filesystem::create_hard_link(same->second, path, error);
    if (!isNew && !error)
      continue;
    if (auto done = writeRank(package, sources, rank, path); !done)
      return done;
  }
  return {};
}

} // namespace froe
