#pragma once

#include "froe/Analysis/ByteText.h"

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

/// The stages, those alike once; empty where there is one and the batch is whole.
std::string stagesText(const nlohmann::ordered_json &plan);
/// How fast the best plans on other numbers of devices are; empty where only one number was asked about.
std::string deviceCountsText(const nlohmann::ordered_json &plan);

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
/// The units in which a plan's memory limit was told.
ByteUnits unitsOf(const nlohmann::ordered_json &plan);
/// `x=2, y=4`.
std::string meshText(const nlohmann::ordered_json &mesh);
/// All stages together.
int64_t devicesOf(const nlohmann::ordered_json &plan);
/// The next best strategy of a node, `batch:x +12.3 us`; empty where it is not known.
std::string runnerUpText(const nlohmann::ordered_json &node);
/// The sharding of a tensor in names of its dims: `[batch:x, sequence, ffn:y], partial sum over z`.
std::string shardingText(const nlohmann::ordered_json &tensor);

} // namespace froe
