#pragma once

// Code that exists once per instruction set is written as an always-inline template and instantiated inside functions
// that carry one of these attributes; `isa()` picks among them at run time, so one binary serves every processor.
#if defined(__x86_64__)
#define FROE_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#define FROE_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#else
#define FROE_TARGET_AVX2
#define FROE_TARGET_AVX512
#endif
#define FROE_INLINE [[gnu::always_inline]] inline

#include <optional>
#include <string_view>

namespace froe::cpu {

enum class Isa { Baseline, Avx2, Avx512 };

/// The widest instruction set of this processor that the kernels know, or a narrower one that the environment variable
/// FROE_MAX_ISA (`baseline`, `avx2`, `avx512`) asks for. Decided once.
Isa isa();
const char *nameOf(Isa isa);
std::optional<Isa> isaNamed(std::string_view name);

} // namespace froe::cpu
