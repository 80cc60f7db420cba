#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace froe {

/// A plan (content of plan.json) in about ten lines for a person.
std::string planText(const nlohmann::ordered_json &plan);

/// All that a plan says about one node; empty where it has no such node.
std::string nodeText(const nlohmann::ordered_json &plan, const std::string &node);

/// What two plans decide differently.
std::string differenceText(const nlohmann::ordered_json &plan, const nlohmann::ordered_json &other);

} // namespace froe
