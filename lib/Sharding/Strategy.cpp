#include "froe/Sharding/Strategy.h"

#include "CheckedStrategy.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

namespace {
std::optional<std::string> checkAxes(const Mesh &mesh, const std::vector<AxisList> &factorAxes,
                                     const AxisList &partialAxes) {
  // An assignment is a sharding of the loop dims.
  AxisList sorted = partialAxes;
  std::ranges::sort(sorted);
  return Sharding{factorAxes, sorted, ReduceKind::Sum}.check(mesh, static_cast<int64_t>(factorAxes.size()));
}

/// A factor that cannot be cut so: inside `open`, which is not fully cut, or unevenly.
struct DimFault {
  const Factor *factor, *open;
  int64_t blocks;

  std::string str() const {
    if (open)
      return fmt::format("factor '{}' is cut inside '{}', which is not fully cut", factor->name, open->name);
    return fmt::format("factor '{}' of size {} is part of a dim and cannot be cut unevenly into {}", factor->name,
                       factor->size, blocks);
  }
};

/// In a dim of several factors the blocks of a cut factor are contiguous only under fully cut major ones, and equal
/// only where it divides.
std::optional<DimFault> checkDim(const Rule &rule, const Mesh &mesh, const std::vector<AxisList> &factorAxes,
                                 const DimFactors &dim) {
  if (dim.size() < 2)
    return std::nullopt;
  const Factor *open = nullptr;
  for (int index : dim) {
    const Factor &factor = rule.factors[index];
    int64_t blocks = mesh.blocks(factorAxes[index]);
    if (blocks > 1 && open)
      return DimFault{&factor, open, blocks};
    if (factor.size % blocks != 0)
      return DimFault{&factor, nullptr, blocks};
    if (blocks != factor.size && !open)
      open = &factor;
  }
  return std::nullopt;
}

std::optional<DimFault> checkDims(const Rule &rule, const Mesh &mesh, const std::vector<AxisList> &factorAxes) {
  for (const std::vector<TensorFactors> *tensors : {&rule.operands, &rule.results})
    for (const TensorFactors &tensor : *tensors)
      for (const DimFactors &dim : tensor)
        if (auto fault = checkDim(rule, mesh, factorAxes, dim))
          return fault;
  return std::nullopt;
}

/// The axes over which the results are partial, and of which kind.
struct Outcome {
  AxisList axes;
  std::optional<ReduceKind> kind;
};

std::expected<Outcome, std::string> combine(const Rule &rule, const std::vector<AxisList> &factorAxes,
                                            const AxisList &partialAxes, ReduceKind partialKind) {
  Outcome outcome{partialAxes, std::nullopt};
  if (!partialAxes.empty())
    outcome.kind = partialKind;
  for (size_t i = 0; i < factorAxes.size(); ++i) {
    const Factor &factor = rule.factors[i];
    if (factorAxes[i].empty() || factor.kind == FactorKind::Parallel)
      continue;
    if (factor.kind == FactorKind::Whole)
      return std::unexpected(fmt::format("factor '{}' must stay whole", factor.name));
    if (outcome.kind && *outcome.kind != factor.reduce)
      return std::unexpected(fmt::format("factor '{}' makes {} terms together with {} terms", factor.name,
                                         name(factor.reduce), name(*outcome.kind)));
    outcome.kind = factor.reduce;
    outcome.axes.insert(outcome.axes.end(), factorAxes[i].begin(), factorAxes[i].end());
  }
  std::ranges::sort(outcome.axes);
  return outcome;
}

std::optional<std::string> checkForm(const Rule &rule, const AxisList &partialAxes, int partialForm,
                                     ReduceKind partialKind) {
  if (partialAxes.empty())
    return std::nullopt;
  if (partialForm < 0 || partialForm >= static_cast<int>(rule.partials.size()))
    return fmt::format("there is no partial form {}", partialForm);
  if (std::ranges::count(rule.partials[partialForm].kinds, partialKind) == 0)
    return fmt::format("partial form {} does not commute with {}", partialForm, name(partialKind));
  return std::nullopt;
}

Sharding shardingOf(const TensorFactors &tensor, const std::vector<AxisList> &factorAxes) {
  Sharding sharding = Sharding::replicated(static_cast<int64_t>(tensor.size()));
  for (size_t d = 0; d < tensor.size(); ++d)
    for (int factor : tensor[d])
      if (!factorAxes[factor].empty())
        sharding.dims[d].insert(sharding.dims[d].end(), factorAxes[factor].begin(), factorAxes[factor].end());
  return sharding;
}

void makePartial(Sharding &sharding, const AxisList &axes, ReduceKind kind) {
  sharding.partial = axes;
  sharding.partialKind = axes.empty() ? ReduceKind::Sum : kind;
}

Strategy assemble(const Rule &rule, const std::vector<AxisList> &factorAxes, const AxisList &partialAxes,
                  int partialForm, ReduceKind partialKind, const Outcome &outcome) {
  Strategy strategy{.factorAxes = factorAxes, .partialAxes = partialAxes, .operands = {}, .results = {}};
  strategy.operands.reserve(rule.operands.size());
  for (const TensorFactors &tensor : rule.operands)
    strategy.operands.push_back(shardingOf(tensor, factorAxes));
  strategy.results.reserve(rule.results.size());
  for (const TensorFactors &tensor : rule.results) {
    strategy.results.push_back(shardingOf(tensor, factorAxes));
    makePartial(strategy.results.back(), outcome.axes, outcome.kind.value_or(ReduceKind::Sum));
  }
  if (!partialAxes.empty()) {
    for (int operand : rule.partials[partialForm].operands)
      makePartial(strategy.operands[operand], partialAxes, partialKind);
    strategy.partialForm = partialForm;
    strategy.partialKind = partialKind;
  }
  return strategy;
}
} // namespace

std::expected<Strategy, std::string> makeStrategy(const Rule &rule, const Mesh &mesh, std::vector<AxisList> factorAxes,
                                                  AxisList partialAxes, int partialForm, ReduceKind partialKind) {
  if (factorAxes.size() != rule.factors.size())
    return std::unexpected(
        fmt::format("expected axes for {} factors, found {}", rule.factors.size(), factorAxes.size()));
  if (auto why = checkAxes(mesh, factorAxes, partialAxes))
    return std::unexpected(*why);
  if (auto why = checkForm(rule, partialAxes, partialForm, partialKind))
    return std::unexpected(*why);
  if (auto fault = checkDims(rule, mesh, factorAxes))
    return std::unexpected(fault->str());
  std::ranges::sort(partialAxes);
  std::expected<Outcome, std::string> outcome = combine(rule, factorAxes, partialAxes, partialKind);
  if (!outcome)
    return std::unexpected(outcome.error());

  return assemble(rule, factorAxes, partialAxes, partialForm, partialKind, *outcome);
}

std::optional<Strategy> makeCheckedStrategy(const Rule &rule, const Mesh &mesh, const std::vector<AxisList> &factorAxes,
                                            const AxisList &partialAxes, int partialForm, ReduceKind partialKind) {
  if (checkDims(rule, mesh, factorAxes))
    return std::nullopt;
  std::expected<Outcome, std::string> outcome = combine(rule, factorAxes, partialAxes, partialKind);
  if (!outcome)
    return std::nullopt;
  return assemble(rule, factorAxes, partialAxes, partialForm, partialKind, *outcome);
}

std::string Strategy::str(const Rule &rule, const Mesh &mesh) const {
  auto names = [&](const AxisList &list) {
    std::vector<std::string_view> parts;
    for (AxisIndex axis : list)
      parts.push_back(mesh.axes[axis].name);
    return fmt::format("{}", fmt::join(parts, ","));
  };
  std::vector<std::string> parts;
  for (size_t i = 0; i < factorAxes.size(); ++i)
    if (!factorAxes[i].empty())
      parts.push_back(fmt::format("{}={}", rule.factors[i].name, names(factorAxes[i])));
  if (!partialAxes.empty())
    parts.push_back(fmt::format("{}({})={}", name(partialKind), fmt::join(rule.partials[partialForm].operands, ","),
                                names(partialAxes)));
  return parts.empty() ? "replicated" : fmt::format("{}", fmt::join(parts, " "));
}

} // namespace froe
