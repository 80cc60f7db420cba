#include "runtime/cpu/Isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace froe::cpu {

static Isa widestIsa() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Isa::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
    return Isa::Avx2;
#endif
  return Isa::Baseline;
}

static Isa askedIsa() {
  const char *text = std::getenv("FROE_MAX_ISA");
  return isaNamed(text ? text : "").value_or(Isa::Avx512);
}

Isa isa() {
  static const Isa chosen = std::min(widestIsa(), askedIsa());
  return chosen;
}

std::optional<Isa> isaNamed(std::string_view name) {
  for (Isa isa : {Isa::Baseline, Isa::Avx2, Isa::Avx512})
    if (name == nameOf(isa))
      return isa;
  return std::nullopt;
}

const char *nameOf(Isa isa) { return isa == Isa::Avx512 ? "avx512" : isa == Isa::Avx2 ? "avx2" : "baseline"; }

} // namespace froe::cpu
