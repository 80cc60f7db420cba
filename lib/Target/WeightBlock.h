// One rank's block of a weight, in memory.
#pragma once

#include "froe/Conversion/Package.h"

#include "llvm/Support/FileSystem.h"

#include <filesystem>

namespace froe {

/// Files of weights, mapped when first asked for.
class WeightSources {
public:
  explicit WeightSources(std::filesystem::path folder) : folder(std::move(folder)) {}

  /// The bytes of the whole weight, or why they are not there.
  std::expected<llvm::ArrayRef<char>, std::string> bytesOf(const Package::Weight &weight);

private:
  std::filesystem::path folder;
  std::map<std::string, llvm::sys::fs::mapped_file_region> files;
};

/// A rank's block: where it is a run of bytes of the weight, those; else a copy, with zeros as padding and elements of
/// the program's type.
struct WeightBlock {
  std::vector<char> copy;
  llvm::ArrayRef<char> bytes;
};
WeightBlock cutBlock(const Package::Weight &weight, llvm::ArrayRef<char> whole, const Mesh &mesh, int64_t rank);

/// Elements of one rank in bytes, before packing.
int64_t localBytes(const Package::Weight &weight);

} // namespace froe
