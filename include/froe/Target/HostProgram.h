#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <expected>
#include <string>
#include <vector>

namespace froe {

/// The processor that programs are made for.
struct HostTarget {
  std::string triple;
  std::string cpu;      ///< LLVM's name, e.g. `znver4`
  std::string features; ///< `+avx2,+fma,...`; empty: what the name stands for
  std::string isa;      ///< of the runtime's kernels there: `baseline`, `avx2`, `avx512`; empty: it finds out
};
/// Those of runtime/cpu/Extensions.h that code for `target` may use.
std::vector<std::string> extensionsOf(const HostTarget &target);

/// This machine's.
HostTarget hostTarget();
/// Another one of this machine's architecture, e.g. `haswell` or `x86-64-v3`, or this one (`host`); an error for a name
/// that LLVM does not know.
std::expected<HostTarget, std::string> targetNamed(const std::string &cpu);

/// Optimises a module of the LLVM dialect for `target` and writes the object file.
std::expected<void, std::string> writeObject(mlir::ModuleOp module, const HostTarget &target,
                                             const std::string &objectFile);

/// The compiler driver that links programs, or what to install.
std::expected<std::string, std::string> findLinker();
/// Where the runtime is expected: `../lib/libfroe_rt.a`, seen from the executable that runs.
std::string runtimeLibrary();

/// Links an object with the runtime, which lies beside the running executable as `../lib/libfroe_rt.a`. The error holds
/// the linker's messages, or says what to install.
std::expected<void, std::string> linkProgram(const std::string &objectFile, const std::string &programFile);

} // namespace froe
