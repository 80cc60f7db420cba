// What commands share that know nothing of compilation: `froe run` is one program with the compiler, and one without.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace froe {

/// Returns the exit code.
using Action = std::function<int()>;

Action addRun(CLI::App &command);

/// Splits `NAME=VALUE` at the last `=`, since names may hold one.
std::optional<std::pair<std::string, std::string>> splitAssignment(const std::string &text);

/// Prints `error: ...` and notes on stderr.
int report(int exitCode, const std::vector<std::string> &lines);

/// Options that take numbers above 0, or of at least 0. (CLI11's own checks name the largest double in their errors.)
CLI::Validator positive();
CLI::Validator notNegative();

/// Adds `--json`.
void addJson(CLI::App &command, bool &json);

} // namespace froe
