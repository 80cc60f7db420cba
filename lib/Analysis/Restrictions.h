#pragma once

#include "FactorNames.h"

#include "froe/Analysis/Plan.h"
#include "froe/Analysis/ProgramGraph.h"

#include <optional>
#include <string>

namespace froe {

/// P6 is kept by leaving out strategies. Leaves a node those that pass; none where that leaves nothing, and then
/// returns false.
bool keepOnly(GraphNode &node, const std::function<bool(const Strategy &)> &keep);

/// Restricts the graph to the plan called `replicated`, `data` or `tensor`. Says why there is no such plan, if there is
/// none.
///
///   replicated  every device computes everything
///   data        the first dim of each input is cut over all axes, and so is what follows from it; weights are whole
///   tensor      no batch dim is cut; weights of contractions are cut over all axes; the rest is free
std::optional<std::string> restrictToNamedPlan(ProgramGraph &graph, const std::string &name);

/// Fixes every node to some strategy that the ones before it allow: the same for the same seed.
void restrictAtRandom(ProgramGraph &graph, uint64_t seed);

/// Gives the nodes of these names the strategies of these texts.
std::optional<std::string> restrictToForced(ProgramGraph &graph, const FactorNames &names,
                                            const std::vector<std::pair<std::string, std::string>> &force);

/// Restricts the graph by a constraint file's text (JSON). `file` is its name for messages.
std::optional<std::string> restrictByConstraints(ProgramGraph &graph, const FactorNames &names, const std::string &text,
                                                 const std::string &file);

/// Fixes every input, op and output to the strategy that a plan.json names.
std::optional<std::string> restrictToPlanFile(ProgramGraph &graph, const FactorNames &names, const std::string &text,
                                              const std::string &file);

/// The options with what the constraint file says of stages and microbatches; an error where the options say otherwise.
std::expected<PlanOptions, std::string> withStagesOfFile(const PlanOptions &options);

/// Restricts the graph by all that the user asked for.
std::optional<std::string> restrictByOptions(ProgramGraph &graph, const FactorNames &names, const PlanOptions &options);

} // namespace froe
