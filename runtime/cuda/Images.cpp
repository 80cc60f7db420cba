// Which of a program's images a GPU takes: machine code for it, else PTX that the driver compiles.
#include "runtime/cuda/Gpu.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

asm(".section .rodata\n.globl froe_builtin_ptx\n.hidden froe_builtin_ptx\nfroe_builtin_ptx:\n"
    ".incbin \"" FROE_BUILTIN_PTX "\"\n.byte 0\n.previous\n");
extern "C" const char froe_builtin_ptx[];

namespace froe::cuda {

namespace {

bool isPtx(const froe_image &image) { return std::strncmp(image.arch, "compute_", 8) == 0; }
int archOf(const froe_image &image) { return std::atoi(image.arch + (isPtx(image) ? 8 : 3)); }

/// Machine code runs on its own major version from its minor one on, PTX on whatever is not older.
bool runsOn(const froe_image &image, int arch) {
  int made = archOf(image);
  return made <= arch && (isPtx(image) || made / 10 == arch / 10);
}

/// What `arch` can run, the best first: the newest machine code, then the newest PTX.
std::vector<const froe_image *> imagesFor(const froe_program &program, int arch) {
  std::vector<const froe_image *> images;
  for (int32_t i = 0; i < program.image_count; ++i)
    if (runsOn(program.images[i], arch))
      images.push_back(&program.images[i]);
  std::ranges::sort(images, std::greater(),
                    [](const froe_image *image) { return std::pair(!isPtx(*image), archOf(*image)); });
  return images;
}

std::string archsOf(const froe_program &program) {
  std::vector<std::string> archs;
  for (int32_t i = 0; i < program.image_count; ++i)
    archs.push_back(program.images[i].arch);
  return fmt::format("{}", fmt::join(archs, ", "));
}

} // namespace

Function Gpu::findKernel(Module module, const char *name) const {
  Function function = nullptr;
  DriverResult result = driver.cuModuleGetFunction(&function, module, name);
  if (result != kSuccess)
    fail(3, fmt::format("kernel '{}' is missing in its image: error {}", name, describe(result)));
  return function;
}

void Gpu::loadBuiltIns() {
  if (arch < FROE_OLDEST_ARCH)
    fail(1, fmt::format("the GPU is sm_{}, sm_{} or newer is needed", arch, FROE_OLDEST_ARCH));
  DriverResult result = driver.cuModuleLoadDataEx(&builtIns, froe_builtin_ptx, 0, nullptr, nullptr);
  if (result == kUnsupportedPtxVersion)
    fail(1, fmt::format("the NVIDIA driver (CUDA {}) is too old for the runtime's own kernels: install a newer one",
                        driverVersion()));
  if (result != kSuccess)
    fail(1, fmt::format("the GPU does not accept the runtime's own kernels: error {}", describe(result)));
  const char *names[] = {"froe_builtin_reduce", "froe_builtin_fill", "froe_builtin_matmul"};
  std::ranges::transform(names, builtIn, [&](const char *name) { return findKernel(builtIns, name); });
}

/// Into `module`; a driver that is older than the toolkit which assembled an image refuses it, but may take another.
const froe_image &Gpu::loadImage() {
  const froe_program &program = *host.program;
  std::vector<const froe_image *> images = imagesFor(program, arch);
  if (images.empty())
    fail(1, fmt::format("the GPU is sm_{}, the package has kernels for {}: compile it with --target cuda:sm_{}", arch,
                        archsOf(program), arch));
  std::string refused;
  for (const froe_image *image : images) {
    DriverResult result = driver.cuModuleLoadDataEx(&module, image->data, 0, nullptr, nullptr);
    if (result == kSuccess) {
      if (isPtx(*image) && host.rank == 0)
        std::fprintf(
            stderr,
            "note: the driver compiles the package's kernels from PTX (%s) for sm_%d, which takes a while: %s\n",
            image->arch, arch,
            refused.empty() ? ("the package is for " + archsOf(program)).c_str() : ("it refuses" + refused).c_str());
      return *image;
    }
    refused += fmt::format("{} {} (error {})", refused.empty() ? "" : ",", image->arch, describe(result));
  }
  fail(1, fmt::format("the NVIDIA driver (CUDA {}) refuses the package's kernels:{}; install a newer one",
                      driverVersion(), refused));
}

void Gpu::loadKernels() {
  loadBuiltIns();
  const froe_program &program = *host.program;
  if (program.kernel_count == 0)
    return;
  loadImage();
  for (int32_t i = 0; i < program.kernel_count; ++i) {
    const froe_device_kernel &kernel = program.kernels[i];
    kernels.push_back(findKernel(module, kernel.name));
    if (kernel.shared_bytes > 48 << 10)
      check(driver.cuFuncSetAttribute(kernels.back(), kMaxDynamicSharedBytes, kernel.shared_bytes),
            "reserving shared memory");
  }
}

} // namespace froe::cuda
