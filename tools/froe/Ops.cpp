#include "Command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

Action addOps(CLI::App &command) {
  auto json = std::make_shared<bool>(false);
  addJson(command, *json);
  return [json] {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const OperatorInfo &info : supportedOperators()) {
      if (*json) {
        list.push_back({{"domain", info.domain},
                        {"op", info.name},
                        {"opsets", {info.firstOpset, info.lastOpset}},
                        {"types", info.types},
                        {"targets", {"cpu", "cuda"}},
                        {"shardable", true},
                        {"condition", info.condition}});
        continue;
      }
      fmt::print("{}{}{} opset {} to {}: {}{}\n", info.domain, info.domain.empty() ? "" : ".", info.name,
                 info.firstOpset, info.lastOpset, fmt::join(info.types, " "),
                 info.condition.empty() ? "" : "; " + info.condition);
    }
    if (*json)
      fmt::print("{}\n", list.dump());
    return 0;
  };
}

} // namespace froe
