#include "Parser.h"

#include <fmt/format.h>

namespace froe {

/// Numbers that `accepts`; the text says which these are.
static CLI::Validator number(const char *which, bool (*accepts)(double)) {
  return CLI::Validator(
      [which, accepts](std::string &text) {
        char *end = nullptr;
        double value = std::strtod(text.c_str(), &end);
        bool ok = !text.empty() && *end == 0 && accepts(value);
        return ok ? std::string() : fmt::format("expected a number {}, found '{}'", which, text);
      },
      "");
}

CLI::Validator positive() {
  return number("above 0", [](double value) { return value > 0; });
}
CLI::Validator notNegative() {
  return number("of at least 0", [](double value) { return value >= 0; });
}

void addJson(CLI::App &command, bool &json) {
  command.add_flag("--json", json, "one JSON object on standard output, and nothing else");
}

std::optional<std::pair<std::string, std::string>> splitAssignment(const std::string &text) {
  size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0)
    return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

int report(int exitCode, const std::vector<std::string> &lines) {
  for (const std::string &line : lines)
    fmt::print(stderr, "{}{}\n", line.starts_with("note: ") || line.starts_with("error: ") ? "" : "error: ", line);
  return exitCode;
}

} // namespace froe
