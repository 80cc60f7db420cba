#include "RuleText.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace froe {

namespace {
using Shapes = std::span<const std::vector<int64_t>>;

/// Gives the names of a written rule numbers and sizes.
class Resolver {
public:
  Resolver(const RuleText &text, Shapes operandShapes, Shapes resultShapes) : text(text) {
    for (size_t i = 0; i < operandShapes.size(); ++i)
      tensors.push_back({&text.operands[i], &operandShapes[i], {}});
    for (size_t i = 0; i < resultShapes.size(); ++i)
      tensors.push_back({&text.results[i], &resultShapes[i], {}});
  }

  std::expected<Rule, std::string> run() {
    if (auto why = expandRest())
      return std::unexpected(*why);
    for (Tensor &tensor : tensors)
      for (const RuleText::Dim &dim : tensor.dims)
        for (const std::string &name : dim)
          add(name);
    for (const RuleText::NamedKind &named : text.kinds)
      if (auto why = setKind(named))
        return std::unexpected(*why);
    if (auto why = inferSizes())
      return std::unexpected(*why);
    for (const Tensor &tensor : tensors)
      (rule.operands.size() < text.operands.size() ? rule.operands : rule.results).push_back(numbered(tensor.dims));
    rule.partials = text.partials;
    return rule;
  }

private:
  struct Tensor {
    const RuleText::Tensor *written;
    const std::vector<int64_t> *shape;
    RuleText::Tensor dims; ///< with `...` expanded: as many as the shape has
  };

  static bool isRest(const RuleText::Dim &dim) { return dim.size() == 1 && dim[0] == "..."; }

  std::optional<std::string> expandRest() {
    std::optional<std::vector<int64_t>> rest;
    for (const Tensor &tensor : tensors)
      if (auto why = collectRest(tensor, rest))
        return why;
    for (size_t i = 0; rest && i < rest->size(); ++i)
      restNames.push_back(freshName(i));
    for (Tensor &tensor : tensors)
      expand(tensor, rest.value_or(std::vector<int64_t>{}));
    return std::nullopt;
  }

  /// The sizes that `...` stands for: in each place the largest, since a tensor of size 1 there is broadcast.
  std::optional<std::string> collectRest(const Tensor &tensor, std::optional<std::vector<int64_t>> &rest) const {
    size_t written = tensor.written->size(), rank = tensor.shape->size();
    auto it = std::ranges::find_if(*tensor.written, isRest);
    if (it == tensor.written->end())
      return written == rank ? std::nullopt : std::optional(fmt::format("expected {} dims, found {}", written, rank));
    if (std::ranges::count_if(*tensor.written, isRest) > 1)
      return "'...' occurs twice in one tensor";
    if (rank + 1 < written)
      return fmt::format("expected at least {} dims, found {}", written - 1, rank);
    size_t count = rank + 1 - written, begin = it - tensor.written->begin();
    if (!rest)
      rest.emplace(count, 1);
    if (rest->size() != count)
      return fmt::format("'...' stands for {} dims in one tensor and {} in another", rest->size(), count);
    for (size_t i = 0; i < count; ++i)
      if ((*rest)[i] == 1)
        (*rest)[i] = (*tensor.shape)[begin + i];
    return std::nullopt;
  }

  void expand(Tensor &tensor, const std::vector<int64_t> &rest) const {
    for (const RuleText::Dim &dim : *tensor.written) {
      if (!isRest(dim)) {
        tensor.dims.push_back(dim);
        continue;
      }
      for (size_t i = 0; i < rest.size(); ++i) {
        bool broadcast = (*tensor.shape)[tensor.dims.size()] == 1 && rest[i] != 1;
        tensor.dims.push_back(broadcast ? RuleText::Dim{} : RuleText::Dim{restNames[i]});
      }
    }
  }

  std::string freshName(size_t i) const {
    auto taken = [&](const std::string &name) {
      return std::ranges::any_of(tensors, [&](const Tensor &tensor) {
        return std::ranges::any_of(*tensor.written,
                                   [&](const RuleText::Dim &dim) { return std::ranges::count(dim, name) > 0; });
      });
    };
    std::string name = fmt::format("d{}", i);
    while (taken(name))
      name += '_';
    return name;
  }

  void add(const std::string &name) {
    if (numbers.try_emplace(name, static_cast<int>(rule.factors.size())).second)
      rule.factors.push_back({.name = name, .size = -1});
  }

  std::optional<std::string> setKind(const RuleText::NamedKind &named) {
    auto it = numbers.find(named.factor);
    if (it == numbers.end())
      return fmt::format("'{}' is no factor of any tensor", named.factor);
    rule.factors[it->second].kind = named.kind;
    rule.factors[it->second].reduce = named.reduce;
    return std::nullopt;
  }

  /// Each pass settles the dims with one unknown size; it ends because the number of unknown sizes falls.
  std::optional<std::string> inferSizes() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Tensor &tensor : tensors)
        for (size_t d = 0; d < tensor.dims.size(); ++d)
          changed |= inferFrom(tensor.dims[d], (*tensor.shape)[d]);
    }
    for (const Factor &factor : rule.factors)
      if (factor.size < 0)
        return fmt::format("the size of factor '{}' follows from no shape", factor.name);
    return std::nullopt;
  }

  bool inferFrom(const RuleText::Dim &dim, int64_t size) {
    Factor *unknown = nullptr;
    for (const std::string &name : dim) {
      Factor &factor = rule.factors[numbers[name]];
      if (factor.size >= 0)
        size = factor.size > 0 ? size / factor.size : size;
      else if (unknown)
        return false;
      else
        unknown = &factor;
    }
    if (unknown)
      unknown->size = size;
    return unknown;
  }

  TensorFactors numbered(const RuleText::Tensor &dims) const {
    TensorFactors factors;
    for (const RuleText::Dim &dim : dims) {
      factors.emplace_back();
      for (const std::string &name : dim)
        factors.back().push_back(numbers.at(name));
    }
    return factors;
  }

  const RuleText &text;
  std::vector<Tensor> tensors;
  std::vector<std::string> restNames;
  std::map<std::string, int> numbers;
  Rule rule;
};
} // namespace

std::expected<Rule, std::string> Rule::parse(std::string_view text, Shapes operandShapes, Shapes resultShapes) {
  std::expected<RuleText, std::string> written = RuleText::parse(text);
  if (!written)
    return std::unexpected(written.error());
  auto fail = [&](std::string why) { return std::unexpected(fmt::format("rule '{}': {}", text, why)); };
  if (written->operands.size() != operandShapes.size() || written->results.size() != resultShapes.size())
    return fail(fmt::format("expected {} operands and {} results, found {} and {}", written->operands.size(),
                            written->results.size(), operandShapes.size(), resultShapes.size()));
  std::expected<Rule, std::string> rule = Resolver(*written, operandShapes, resultShapes).run();
  if (!rule)
    return fail(rule.error());
  if (std::optional<std::string> why = rule->check(operandShapes, resultShapes))
    return fail(*why);
  return rule;
}

} // namespace froe
