#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace froe {

/// How much of a plan to tell.
enum class PlanDetail {
  Brief, ///< what matters: a screen
  Full,  ///< every op of every kind of layer
};

/// A plan (content of plan.json) for a person.
std::string planText(const nlohmann::ordered_json &plan, PlanDetail detail);

/// What the ops cost, equal layers told once.
std::string layersText(const nlohmann::ordered_json &plan, PlanDetail detail);

/// All that a plan says about the nodes and tensors of one name; empty where it has none.
std::string nodeText(const nlohmann::ordered_json &plan, const std::string &node);

/// What two plans decide differently, and what that costs.
std::string differenceText(const nlohmann::ordered_json &plan, const nlohmann::ordered_json &other);
nlohmann::ordered_json differenceJson(const nlohmann::ordered_json &plan, const nlohmann::ordered_json &other);

/// What it changes to force a strategy upon a node.
std::string whyText(const nlohmann::ordered_json &plan, const nlohmann::ordered_json &forced, const std::string &node,
                    const std::string &strategy);

/// `1.23 s`, `12.3 ms`, `45.6 us`; `-` for nothing.
std::string timeText(double microseconds);
/// `1.2 GiB`, `12.3 MiB`, `512 bytes`.
std::string bytesText(double bytes);
/// The next best strategy of a node, `batch:x +12.3 us`; empty where it is not known.
std::string runnerUpText(const nlohmann::ordered_json &node);
/// The sharding of a tensor in names of its dims: `[batch:x, sequence, ffn:y], partial sum over z`.
std::string shardingText(const nlohmann::ordered_json &tensor);

} // namespace froe
