// What the kernels of programs take of a GPU, one line a kernel and architecture:
//
//   bench-kernels [--arch=sm_80,sm_90] [--ptx] [--check] KERNELS.mlir...   # files of `froe compile --emit=kernels`
//
// --ptx prints the PTX instead. --check fails if a kernel spills, uses local memory or calls functions.
#include "froe/Conversion/Passes.h"
#include "froe/Pipelines/Phases.h"
#include "froe/Target/Cuda.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace {

llvm::cl::list<std::string> files(llvm::cl::Positional, llvm::cl::OneOrMore, llvm::cl::desc("KERNELS.mlir..."));
llvm::cl::list<std::string> archs("arch", llvm::cl::CommaSeparated, llvm::cl::desc("sm_80,sm_90 by default"));
llvm::cl::opt<bool> printPtx("ptx", llvm::cl::desc("print the PTX"));
llvm::cl::opt<bool> check("check", llvm::cl::desc("fail on spills, local memory and calls"));

[[noreturn]] void fail(const std::string &message) {
  fmt::print(stderr, "error: {}\n", message);
  std::exit(1);
}

template <typename T> T take(std::expected<T, std::string> value) {
  if (!value)
    fail(value.error());
  return std::move(*value);
}

OwningOpRef<ModuleOp> gpuKernels(MLIRContext &context, const std::string &file) {
  auto module = froe::readModule(context, file);
  if (!module)
    fail(module.error().front());
  PassManager manager(&context);
  manager.addPass(froe::createKernelsToGpu());
  if (failed(manager.run(**module)))
    fail("'" + file + "': no kernels for GPUs");
  if (auto done = froe::lowerGpuModules(**module); !done)
    fail(done.error());
  return std::move(*module);
}

struct Accesses {
  int64_t wide = 0, all = 0; ///< instructions that read or write global memory; those of 16 bytes
  bool calls = false;
};

int64_t bytesOf(llvm::StringRef instruction) {
  int64_t count = instruction.contains(".v8")   ? 8
                  : instruction.contains(".v4") ? 4
                  : instruction.contains(".v2") ? 2
                                                : 1;
  int64_t bits = 0;
  instruction.rsplit('.').second.drop_front().consumeInteger(10, bits);
  return count * bits / 8;
}

std::map<std::string, Accesses> accessesIn(llvm::StringRef ptx) {
  std::map<std::string, Accesses> kernels;
  std::string name;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    line = line.trim();
    if (auto at = line.find(".entry "); at != llvm::StringRef::npos)
      name = line.substr(at + 7).take_until([](char c) { return c == '(' || c == ' '; }).str();
    llvm::StringRef instruction = line.take_until([](char c) { return c == '\t' || c == ' '; });
    if (instruction.starts_with("ld.global") || instruction.starts_with("st.global")) {
      ++kernels[name].all;
      kernels[name].wide += bytesOf(instruction) >= 16;
    }
    kernels[name].calls |= instruction.starts_with("call");
  }
  return kernels;
}

bool report(gpu::GPUModuleOp kernels, const std::string &model, const std::string &arch,
            const froe::CudaToolkit &toolkit) {
  std::string ptx = take(froe::writePtx(kernels, arch, toolkit.libdevice));
  if (printPtx) {
    fmt::print("{}", ptx);
    return true;
  }
  auto accesses = accessesIn(ptx);
  bool ok = true;
  for (const froe::KernelUse &kernel : take(froe::assemble(ptx, arch, toolkit)).kernels) {
    Accesses access = accesses[kernel.name];
    bool good = kernel.spillBytes == 0 && kernel.localBytes == 0 && !access.calls && kernel.sharedBytes <= 48 << 10;
    ok &= good;
    fmt::print("{:<14} {:<16} {:<6} {:>4} {:>7} {:>7} {:>7} {:>8}{}\n", model, kernel.name, arch, kernel.registers,
               kernel.sharedBytes, kernel.spillBytes, kernel.localBytes, fmt::format("{}/{}", access.wide, access.all),
               good           ? ""
               : access.calls ? "  calls functions"
                              : "  uses too much");
  }
  return ok;
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "resources of generated CUDA kernels\n");
  if (archs.empty())
    for (const char *arch : {"sm_80", "sm_90"})
      archs.push_back(arch);
  froe::CudaToolkit toolkit = take(froe::findCudaToolkit());
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  froe::registerDialects(registry);
  MLIRContext context(registry);
  if (!printPtx)
    fmt::print("{:<14} {:<16} {:<6} {:>4} {:>7} {:>7} {:>7} {:>8}\n", "program", "kernel", "arch", "regs", "shared",
               "spills", "local", "16-byte");
  bool ok = true;
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = gpuKernels(context, file);
    for (auto kernels : module->getOps<gpu::GPUModuleOp>())
      for (const std::string &arch : archs)
        ok &= report(kernels, llvm::sys::path::stem(file).str(), arch, toolkit);
  }
  return check && !ok ? 1 : 0;
}
