#include "runtime/cpu/Extensions.h"

#include <algorithm>

namespace froe::cpu {

namespace {

struct Extension {
  std::string_view name;
  bool present;
};

/// __builtin_cpu_supports takes literals only.
const std::vector<Extension> &extensions() {
#if defined(__x86_64__)
#define FROE_EXTENSION(NAME) Extension{NAME, __builtin_cpu_supports(NAME) != 0}
  static const std::vector<Extension> all = {
      FROE_EXTENSION("sse3"),         FROE_EXTENSION("ssse3"),        FROE_EXTENSION("sse4.1"),
      FROE_EXTENSION("sse4.2"),       FROE_EXTENSION("sse4a"),        FROE_EXTENSION("popcnt"),
      FROE_EXTENSION("lzcnt"),        FROE_EXTENSION("movbe"),        FROE_EXTENSION("bmi"),
      FROE_EXTENSION("bmi2"),         FROE_EXTENSION("tbm"),          FROE_EXTENSION("adx"),
      FROE_EXTENSION("avx"),          FROE_EXTENSION("avx2"),         FROE_EXTENSION("fma"),
      FROE_EXTENSION("fma4"),         FROE_EXTENSION("xop"),          FROE_EXTENSION("f16c"),
      FROE_EXTENSION("gfni"),         FROE_EXTENSION("vaes"),         FROE_EXTENSION("vpclmulqdq"),
      FROE_EXTENSION("avxvnni"),      FROE_EXTENSION("avxvnniint8"),  FROE_EXTENSION("avxifma"),
      FROE_EXTENSION("avxneconvert"), FROE_EXTENSION("avx512f"),      FROE_EXTENSION("avx512bw"),
      FROE_EXTENSION("avx512cd"),     FROE_EXTENSION("avx512dq"),     FROE_EXTENSION("avx512vl"),
      FROE_EXTENSION("avx512ifma"),   FROE_EXTENSION("avx512vbmi"),   FROE_EXTENSION("avx512vbmi2"),
      FROE_EXTENSION("avx512vnni"),   FROE_EXTENSION("avx512bitalg"), FROE_EXTENSION("avx512vpopcntdq"),
      FROE_EXTENSION("avx512bf16"),   FROE_EXTENSION("avx512fp16"),   FROE_EXTENSION("avx512vp2intersect")};
#undef FROE_EXTENSION
#else
  static const std::vector<Extension> all;
#endif
  return all;
}

} // namespace

std::span<const std::string_view> knownExtensions() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    std::ranges::transform(extensions(), std::back_inserter(list), &Extension::name);
    return list;
  }();
  return names;
}

std::vector<std::string> missingExtensions(std::span<const std::string> needed) {
  std::vector<std::string> missing;
  for (const std::string &name : needed)
    if (std::ranges::none_of(extensions(), [&](const Extension &has) { return has.name == name && has.present; }))
      missing.push_back(name);
  return missing;
}

} // namespace froe::cpu
