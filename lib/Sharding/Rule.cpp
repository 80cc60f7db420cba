#include "froe/Sharding/Rule.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

namespace {
using Shapes = std::span<const std::vector<int64_t>>;

std::string str(const Rule &rule, const std::vector<TensorFactors> &tensors) {
  std::vector<std::string> parts;
  for (const TensorFactors &tensor : tensors) {
    std::vector<std::string> dims;
    for (const DimFactors &dim : tensor) {
      std::vector<std::string> names;
      for (int factor : dim)
        names.push_back(rule.factors[factor].name);
      dims.push_back(dim.empty() ? "1" : fmt::format("{}", fmt::join(names, "*")));
    }
    parts.push_back(fmt::format("({})", fmt::join(dims, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string str(const PartialForm &form) {
  std::vector<std::string_view> kinds;
  for (ReduceKind kind : form.kinds)
    kinds.push_back(name(kind));
  bool any = std::ranges::equal(form.kinds, kReduceKinds);
  return fmt::format("partial {}: {}", fmt::join(form.operands, " "),
                     any ? "any" : fmt::format("{}", fmt::join(kinds, ", ")));
}

std::optional<std::string> checkTensor(const Rule &rule, const TensorFactors &tensor,
                                       const std::vector<int64_t> &shape) {
  if (tensor.size() != shape.size())
    return fmt::format("expected {} dims, found {}", tensor.size(), shape.size());
  std::vector<bool> seen(rule.factors.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t product = 1;
    for (int factor : tensor[d]) {
      if (factor < 0 || factor >= static_cast<int>(rule.factors.size()))
        return fmt::format("there is no factor {}", factor);
      if (seen[factor])
        return fmt::format("factor '{}' occurs twice in one tensor", rule.factors[factor].name);
      seen[factor] = true;
      product *= rule.factors[factor].size;
    }
    if (product != shape[d])
      return fmt::format("dim {} has size {}, but its factors make {}", d, shape[d], product);
  }
  return std::nullopt;
}

std::optional<std::string> checkTensors(const Rule &rule, const std::vector<TensorFactors> &tensors, Shapes shapes,
                                        std::string_view what) {
  if (tensors.size() != shapes.size())
    return fmt::format("expected {} {}s, found {}", tensors.size(), what, shapes.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    if (auto why = checkTensor(rule, tensors[i], shapes[i]))
      return fmt::format("{} {}: {}", what, i, *why);
  return std::nullopt;
}

bool contains(const TensorFactors &tensor, int factor) {
  return std::ranges::any_of(tensor, [&](const DimFactors &dim) { return std::ranges::count(dim, factor) > 0; });
}

/// Each device computes its block of a parallel factor, so every result must have that factor to put the block in.
std::optional<std::string> checkFactor(const Rule &rule, int index) {
  auto has = [&](const TensorFactors &tensor) { return contains(tensor, index); };
  const Factor &factor = rule.factors[index];
  if (factor.kind == FactorKind::Reduction && std::ranges::any_of(rule.results, has))
    return fmt::format("reduction factor '{}' occurs in a result", factor.name);
  if (factor.kind == FactorKind::Parallel && std::ranges::any_of(rule.operands, has) &&
      !std::ranges::all_of(rule.results, has))
    return fmt::format("factor '{}' of an operand is missing in a result: it must be whole or a reduction",
                       factor.name);
  return std::nullopt;
}

std::optional<std::string> checkPartial(const Rule &rule, const PartialForm &form) {
  if (form.operands.empty() || form.kinds.empty())
    return "a partial form names no operand or no kind";
  for (size_t i = 0; i < form.operands.size(); ++i) {
    int operand = form.operands[i];
    if (operand < 0 || operand >= static_cast<int>(rule.operands.size()))
      return fmt::format("a partial form names operand {} of {}", operand, rule.operands.size());
    if (std::ranges::count(form.operands, operand) > 1)
      return fmt::format("a partial form names operand {} twice", operand);
  }
  return std::nullopt;
}
} // namespace

std::optional<std::string> Rule::check(Shapes operandShapes, Shapes resultShapes) const {
  if (auto why = checkTensors(*this, operands, operandShapes, "operand"))
    return why;
  if (auto why = checkTensors(*this, results, resultShapes, "result"))
    return why;
  for (int i = 0; i < static_cast<int>(factors.size()); ++i)
    if (auto why = checkFactor(*this, i))
      return why;
  for (const PartialForm &form : partials)
    if (auto why = checkPartial(*this, form))
      return why;
  return std::nullopt;
}

std::string Rule::str() const {
  std::vector<std::string> kinds;
  for (const Factor &factor : factors)
    if (factor.kind != FactorKind::Parallel)
      kinds.push_back(
          fmt::format("{}: {}", factor.name, factor.kind == FactorKind::Whole ? "whole" : name(factor.reduce)));
  std::string text = froe::str(*this, operands) + (operands.empty() ? "-> " : " -> ") + froe::str(*this, results);
  if (!kinds.empty())
    text += fmt::format(" | {}", fmt::join(kinds, ", "));
  for (const PartialForm &form : partials)
    text += " | " + froe::str(form);
  return text;
}

} // namespace froe
