#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace froe::cpu {

/// Extensions of the instruction set that compilers use and some processors lack, by LLVM's names (`avx2`, `fma`, ...);
/// none on other architectures than x86-64.
std::span<const std::string_view> knownExtensions();

/// Those of `needed` that this processor has not, or that are not known.
std::vector<std::string> missingExtensions(std::span<const std::string> needed);

} // namespace froe::cpu
