#include "WeightBlock.h"

#include "NarrowFloats.h"

#include "dialects/Rank/MatmulShape.h"
#include "froe/Sharding/Sharding.h"

#include <cstring>

using namespace mlir;

namespace froe {
namespace {

int64_t elementBytes(Type element) { return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8); }

/// Copies the intervals of a row-major tensor to the front corner of another one, dim by dim.
void copyBlock(ArrayRef<int64_t> fromShape, ArrayRef<int64_t> toShape, ArrayRef<Interval> intervals, int64_t bytes,
               const char *from, char *to) {
  if (intervals.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto sizeOf = [&](ArrayRef<int64_t> shape) {
    int64_t size = bytes;
    for (int64_t dim : shape.drop_front())
      size *= dim;
    return size;
  };
  int64_t fromBytes = sizeOf(fromShape), toBytes = sizeOf(toShape);
  bool isRun = fromBytes == toBytes &&
               llvm::all_of(llvm::zip(intervals.drop_front(), fromShape.drop_front()),
                            [](auto pair) { return std::get<0>(pair) == Interval{0, std::get<1>(pair)}; });
  Interval mine = intervals.front();
  if (isRun) {
    std::memcpy(to, from + mine.begin * fromBytes, std::max<int64_t>(mine.size(), 0) * fromBytes);
    return;
  }
  for (int64_t i = mine.begin; i < mine.end; ++i)
    copyBlock(fromShape.drop_front(), toShape.drop_front(), intervals.drop_front(), bytes, from + i * fromBytes,
              to + (i - mine.begin) * toBytes);
}

/// The start of the block in elements, if it is one full run of the weight.
std::optional<int64_t> runStart(const Package::Weight &weight, ArrayRef<Interval> intervals) {
  ArrayRef<int64_t> global = weight.global.getShape(), local = weight.local.getShape();
  bool inside = false; // behind the first dim that is cut
  int64_t start = 0;
  for (auto [interval, whole, mine] : llvm::zip_equal(intervals, global, local)) {
    if (interval.size() != mine || (inside && mine != whole))
      return std::nullopt;
    inside |= mine != 1;
    start = start * whole + interval.begin;
  }
  return start;
}

/// The block as the file stores its elements.
WeightBlock cutStored(const Package::Weight &weight, ArrayRef<char> whole, const Mesh &mesh, int64_t rank) {
  Sharding sharding{weight.cuts, {}, ReduceKind::Sum};
  std::vector<Interval> intervals = shard(weight.global.getShape(), sharding, mesh, rank);
  int64_t bytes = elementBytes(weight.stored), blockBytes = weight.local.getNumElements() * bytes;
  WeightBlock block;
  std::optional<int64_t> start = runStart(weight, intervals);
  bool isAligned = reinterpret_cast<uintptr_t>(whole.data()) % bytes == 0;
  if (start && isAligned) {
    block.bytes = whole.slice(*start * bytes, blockBytes);
    return block;
  }
  block.copy.resize(blockBytes);
  if (!block.copy.empty())
    copyBlock(weight.global.getShape(), weight.local.getShape(), intervals, bytes, whole.data(), block.copy.data());
  block.bytes = block.copy;
  return block;
}

} // namespace

int64_t localBytes(const Package::Weight &weight) {
  return weight.local.getNumElements() * elementBytes(weight.local.getElementType());
}

std::expected<ArrayRef<char>, std::string> WeightSources::bytesOf(const Package::Weight &weight) {
  std::filesystem::path path = folder / weight.file;
  auto found = files.find(weight.file);
  if (found == files.end()) {
    auto failure = [&](std::error_code error) {
      return std::unexpected("cannot read '" + path.string() + "', which holds weight '" + weight.name +
                             "': " + error.message());
    };
    llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path.string());
    if (!file)
      return failure(llvm::errorToErrorCode(file.takeError()));
    llvm::sys::fs::file_status status;
    std::error_code error = llvm::sys::fs::status(*file, status);
    llvm::sys::fs::mapped_file_region region;
    if (!error && status.getSize() > 0)
      region = llvm::sys::fs::mapped_file_region(*file, llvm::sys::fs::mapped_file_region::readonly, status.getSize(),
                                                 0, error);
    llvm::sys::fs::closeFile(*file);
    if (error)
      return failure(error);
    found = files.emplace(weight.file, std::move(region)).first;
  }
  size_t size = found->second ? found->second.size() : 0;
  size_t expected = weight.global.getNumElements() * elementBytes(weight.stored);
  if (weight.offset < 0 || weight.length < 0 || size_t(weight.offset) > size ||
      size_t(weight.length) > size - weight.offset || size_t(weight.length) < expected)
    return std::unexpected("'" + path.string() + "' is too short: weight '" + weight.name + "' needs " +
                           std::to_string(expected) + " bytes from " + std::to_string(weight.offset) +
                           " on, the file has " + std::to_string(size));
  if (expected == 0)
    return ArrayRef<char>();
  return ArrayRef<char>(found->second.const_data() + weight.offset, expected);
}

WeightBlock cutBlock(const Package::Weight &weight, ArrayRef<char> whole, const Mesh &mesh, int64_t rank) {
  WeightBlock stored = cutStored(weight, whole, mesh, rank);
  if (weight.stored == weight.local.getElementType())
    return stored;
  WeightBlock block;
  block.copy.resize(localBytes(weight));
  narrowFloats(stored.bytes.data(), weight.local.getNumElements(), rank::elementTypeOf(weight.local),
               reinterpret_cast<uint16_t *>(block.copy.data()));
  block.bytes = block.copy;
  return block;
}

} // namespace froe
