#include "froe/Target/Cuda.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

namespace froe {
namespace {

namespace fs = std::filesystem;

std::optional<CudaToolkit> toolkitIn(const fs::path &folder) {
  CudaToolkit toolkit{(folder / "bin/ptxas").string(), (folder / "nvvm/libdevice/libdevice.10.bc").string()};
  if (llvm::sys::fs::can_execute(toolkit.ptxas) && llvm::sys::fs::exists(toolkit.libdevice))
    return toolkit;
  return std::nullopt;
}

void addNamedFolders(std::vector<fs::path> &folders) {
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char *value = std::getenv(name); value && *value)
      folders.emplace_back(value);
}

/// A link on the PATH (as distributions make them) leads to the toolkit.
void addFolderOfPath(std::vector<fs::path> &folders) {
  llvm::ErrorOr<std::string> ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    return;
  std::error_code error;
  folders.push_back(fs::path(*ptxas).parent_path().parent_path());
  if (fs::path real = fs::canonical(*ptxas, error); !error)
    folders.push_back(real.parent_path().parent_path());
}

/// Python packages lie in `lib/python3.X/site-packages` of their environment; NVIDIA's share the folder `nvidia/cu13`.
void addPackages(const fs::path &environment, std::vector<fs::path> &folders) {
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(environment / "lib", error))
    folders.push_back(entry.path() / "site-packages/nvidia/cu13");
}

/// Froe runs from `build/bin` of its source folder.
void addPackagesOfSource(std::vector<fs::path> &folders) {
  static int anchor;
  fs::path folder = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  for (int level = 0; level < 3 && folder.has_parent_path(); ++level) {
    folder = folder.parent_path();
    addPackages(folder / ".venv", folders);
  }
}

} // namespace

std::expected<CudaToolkit, std::string> findCudaToolkit() {
  std::vector<fs::path> folders;
  addNamedFolders(folders);
  addFolderOfPath(folders);
  folders.emplace_back("/usr/local/cuda");
  addPackagesOfSource(folders);
  for (const fs::path &folder : folders)
    if (std::optional<CudaToolkit> toolkit = toolkitIn(folder))
      return *toolkit;
  return std::unexpected("expected a CUDA toolkit (bin/ptxas and nvvm/libdevice/libdevice.10.bc) in CUDA_HOME, on the "
                         "PATH or in /usr/local/cuda; scripts/install.sh installs what is needed of it");
}

} // namespace froe
