#include "froe/Target/Cuda.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <fstream>
#include <regex>
#include <sstream>

namespace froe {
namespace {

std::string readAll(llvm::StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// A file that vanishes with this object.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    if (llvm::sys::fs::createTemporaryFile("froe", suffix, path))
      path.clear();
  }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  TemporaryFile(const TemporaryFile &) = delete;

  llvm::SmallString<128> path;
};

int64_t numberBefore(const std::string &line, const std::string &what) {
  std::smatch match;
  return std::regex_search(line, match, std::regex("(\\d+) " + what)) ? std::stoll(match[1]) : 0;
}

} // namespace

std::vector<KernelUse> readKernelUse(const std::string &report) {
  std::vector<KernelUse> kernels;
  std::istringstream lines(report);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, std::regex("Compiling entry function '([^']*)'")))
      kernels.push_back({match[1]});
    if (kernels.empty())
      continue;
    KernelUse &kernel = kernels.back();
    kernel.spillBytes += numberBefore(line, "bytes spill stores") + numberBefore(line, "bytes spill loads");
    kernel.localBytes += numberBefore(line, "bytes stack frame");
    kernel.sharedBytes += numberBefore(line, "bytes smem");
    kernel.registers += std::regex_search(line, match, std::regex("Used (\\d+) registers")) ? std::stoll(match[1]) : 0;
  }
  return kernels;
}

std::expected<Cubin, std::string> assemble(const std::string &ptx, const std::string &arch,
                                           const CudaToolkit &toolkit) {
  TemporaryFile source("ptx"), binary("cubin"), report("txt");
  if (source.path.empty() || binary.path.empty() || report.path.empty())
    return std::unexpected("cannot make temporary files");
  std::ofstream(source.path.c_str(), std::ios::binary) << ptx;
  std::string failure, archOption = "-arch=" + arch;
  llvm::SmallVector<llvm::StringRef> arguments{toolkit.ptxas, "-v", archOption, "-o", binary.path, source.path};
  int status = llvm::sys::ExecuteAndWait(toolkit.ptxas, arguments, std::nullopt,
                                         {llvm::StringRef(""), report.path.str(), report.path.str()},
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  std::string text = readAll(report.path);
  if (status != 0)
    return std::unexpected("'" + toolkit.ptxas + "' could not assemble the kernels for " + arch + ": " + failure +
                           text);
  return Cubin{readAll(binary.path), readKernelUse(text)};
}

} // namespace froe
