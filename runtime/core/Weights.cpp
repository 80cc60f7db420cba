#include "runtime/core/Weights.h"

#include "runtime/core/ElementType.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace froe::rt {

namespace {

using nlohmann::json;

constexpr uint64_t kHeaderLimit = 100'000'000; // the format's own
constexpr uint64_t kAlignment = 64;

struct Mapping {
  std::shared_ptr<const std::byte> bytes;
  uint64_t size = 0;
};

std::expected<Mapping, std::string> mapFile(const std::string &file) {
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return std::unexpected(fmt::format("cannot be opened: {}", strerror(errno)));
  struct stat status;
  fstat(descriptor, &status);
  uint64_t size = uint64_t(status.st_size);
  void *address = size ? mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0) : nullptr;
  close(descriptor);
  if (address == MAP_FAILED)
    return std::unexpected(fmt::format("cannot be mapped: {}", strerror(errno)));
  return Mapping{{static_cast<const std::byte *>(address),
                  [size](const std::byte *p) {
                    if (p)
                      munmap(const_cast<std::byte *>(p), size);
                  }},
                 size};
}

struct Entry {
  std::string type;
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; // in the data section
};

/// Bytes of a tensor of the file, or nothing if its type is unknown or the product overflows.
std::optional<uint64_t> bytesOf(const Entry &entry) {
  auto type = std::ranges::find(kElementTypes, entry.type, &ElementType::safetensors);
  if (type == kElementTypes.end())
    return std::nullopt;
  uint64_t bytes = uint64_t(type->bytes);
  for (int64_t dim : entry.shape)
    if (dim < 0 || __builtin_mul_overflow(bytes, uint64_t(dim), &bytes))
      return std::nullopt;
  return bytes;
}

struct Header {
  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;
  uint64_t dataOffset = 0; // in the file
};

std::expected<Entry, std::string> readEntry(const json &value, uint64_t dataBytes) {
  Entry entry;
  entry.type = value.at("dtype").get<std::string>();
  entry.shape = value.at("shape").get<std::vector<int64_t>>();
  auto offsets = value.at("data_offsets").get<std::vector<uint64_t>>();
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > dataBytes)
    return std::unexpected(fmt::format("data_offsets {} lie outside of the data's {} bytes", offsets, dataBytes));
  entry.begin = offsets[0];
  entry.end = offsets[1];
  std::optional<uint64_t> bytes = bytesOf(entry);
  if (!bytes)
    return std::unexpected(fmt::format("type '{}' with shape {} is not supported", entry.type, entry.shape));
  if (*bytes != entry.end - entry.begin)
    return std::unexpected(fmt::format("{} {} has {} bytes, but {} in the file", entry.type, entry.shape, *bytes,
                                       entry.end - entry.begin));
  return entry;
}

/// Tensors must cover the data section without holes and overlaps.
std::expected<void, std::string> checkCover(const Header &header, uint64_t dataBytes) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto &[name, entry] : header.entries)
    ranges.push_back({entry.begin, entry.end});
  std::ranges::sort(ranges);
  uint64_t end = 0;
  for (auto [begin, rangeEnd] : ranges) {
    if (begin != end)
      return std::unexpected(
          fmt::format("tensors {} at byte {} of the data", begin < end ? "overlap" : "leave a hole", begin));
    end = rangeEnd;
  }
  if (end != dataBytes)
    return std::unexpected(fmt::format("tensors cover {} of the data's {} bytes", end, dataBytes));
  return {};
}

std::expected<json, std::string> parseHeader(const Mapping &mapping, uint64_t &dataOffset) {
  uint64_t length = 0;
  if (mapping.size < sizeof length)
    return std::unexpected(fmt::format("{} bytes are too few for a safetensors file", mapping.size));
  std::memcpy(&length, mapping.bytes.get(), sizeof length);
  if (length > kHeaderLimit || length > mapping.size - sizeof length)
    return std::unexpected(fmt::format("a header of {} bytes does not fit a file of {}", length, mapping.size));
  dataOffset = sizeof length + length;
  const char *text = reinterpret_cast<const char *>(mapping.bytes.get()) + sizeof length;
  std::vector<std::set<std::string>> keys; // of the objects that are open
  std::string duplicate;
  auto noteDuplicates = [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      duplicate = value.get<std::string>();
    return true;
  };
  json parsed = json::parse(text, text + length, noteDuplicates, /*allow_exceptions=*/false);
  if (!parsed.is_object())
    return std::unexpected("the header is not JSON");
  if (!duplicate.empty())
    return std::unexpected(fmt::format("'{}' occurs twice", duplicate));
  return parsed;
}

std::expected<Header, std::string> readHeader(const Mapping &mapping) {
  Header header;
  auto parsed = parseHeader(mapping, header.dataOffset);
  if (!parsed)
    return std::unexpected(parsed.error());
  uint64_t dataBytes = mapping.size - header.dataOffset;
  try {
    for (const auto &[name, value] : parsed->items()) {
      if (name == "__metadata__") {
        header.metadata = value.get<std::map<std::string, std::string>>();
        continue;
      }
      auto entry = readEntry(value, dataBytes);
      if (!entry)
        return std::unexpected(fmt::format("tensor '{}': {}", name, entry.error()));
      header.entries[name] = std::move(*entry);
    }
  } catch (const json::exception &error) {
    return std::unexpected(fmt::format("the header is malformed: {}", error.what()));
  }
  if (auto covered = checkCover(header, dataBytes); !covered)
    return std::unexpected(covered.error());
  return header;
}

/// Whether `entry` is what the program was compiled for.
std::expected<void, std::string> checkEntry(const Entry &entry, const froe_weight &weight, bool plain) {
  const ElementType &type = elementType(weight.type);
  std::vector<int64_t> shape(weight.shape, weight.shape + weight.rank);
  if (plain && (entry.type != type.safetensors || entry.shape != shape))
    return std::unexpected(
        fmt::format("the program expects {} {}, the file has {} {}", type.safetensors, shape, entry.type, entry.shape));
  if (entry.end - entry.begin != weight.bytes)
    return std::unexpected(
        fmt::format("the program expects {} bytes, the file has {}", weight.bytes, entry.end - entry.begin));
  return {};
}

std::shared_ptr<std::byte> alignedCopy(const std::byte *data, uint64_t bytes) {
  uint64_t rounded = (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  std::shared_ptr<std::byte> copy(static_cast<std::byte *>(std::aligned_alloc(kAlignment, rounded)), std::free);
  std::memcpy(copy.get(), data, bytes);
  return copy;
}

} // namespace

std::expected<WeightFile, std::string> WeightFile::open(const std::string &file, const froe_program &program) {
  WeightFile result;
  if (program.weight_count == 0)
    return result;
  auto error = [&](std::string_view message) { return std::unexpected(fmt::format("{}: {}", file, message)); };
  auto mapping = mapFile(file);
  if (!mapping)
    return error(mapping.error());
  auto header = readHeader(*mapping);
  if (!header)
    return error(header.error());
  for (const froe_weight *weight = program.weights; weight != program.weights + program.weight_count; ++weight) {
    auto found = header->entries.find(weight->name);
    if (found == header->entries.end())
      return error(fmt::format("weight '{}' is missing", weight->name));
    Weight mapped;
    if (auto packing = header->metadata.find(fmt::format("packing.{}", weight->name));
        packing != header->metadata.end())
      mapped.packing = packing->second;
    if (auto fits = checkEntry(found->second, *weight, mapped.packing == "plain"); !fits)
      return error(fmt::format("weight '{}': {}", weight->name, fits.error()));
    const std::byte *data = mapping->bytes.get() + header->dataOffset + found->second.begin;
    mapped.bytes = weight->bytes;
    if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0)
      data = result.copies.emplace_back(alignedCopy(data, mapped.bytes)).get();
    mapped.data = data;
    result.weights.push_back(std::move(mapped));
  }
  result.mapping = mapping->bytes;
  return result;
}

} // namespace froe::rt
