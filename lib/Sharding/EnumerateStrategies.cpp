#include "CheckedStrategy.h"

#include <algorithm>

namespace froe {

namespace {
/// Gives one axis after the other to nothing, to a factor (at each position of its list), or to the partial form.
class Enumeration {
public:
  Enumeration(const Rule &rule, const Mesh &mesh, std::span<const ReduceKind> partialKinds, bool ascendingOnly)
      : rule(rule), mesh(mesh), partialKinds(partialKinds), ascendingOnly(ascendingOnly),
        factorAxes(rule.factors.size()) {}

  std::vector<Strategy> run() {
    strategies.reserve(256); // three axes make about so many, and strategies are slow to move
    assign(0);
    for (form = 0; form < static_cast<int>(rule.partials.size()); ++form)
      for (ReduceKind allowed : rule.partials[form].kinds)
        if (std::ranges::count(partialKinds, allowed) > 0) {
          kind = allowed;
          assign(0);
        }
    return std::move(strategies);
  }

private:
  void assign(AxisIndex axis) {
    if (axis == mesh.axisCount())
      return finish();
    assign(axis + 1);
    if (mesh.axes[axis].size == 1)
      return;
    for (size_t f = 0; f < factorAxes.size(); ++f)
      assignToFactor(axis, f);
    if (form >= 0) {
      partialAxes.push_back(axis);
      assign(axis + 1);
      partialAxes.pop_back();
    }
  }

  void assignToFactor(AxisIndex axis, size_t f) {
    AxisList &list = factorAxes[f];
    if (rule.factors[f].kind == FactorKind::Whole || mesh.blocks(list) * mesh.axes[axis].size > rule.factors[f].size)
      return;
    for (size_t position = ascendingOnly ? list.size() : 0; position <= list.size(); ++position) {
      list.insert(list.begin() + position, axis);
      assign(axis + 1);
      list.erase(list.begin() + position);
    }
  }

  void finish() {
    if (form >= 0 && partialAxes.empty())
      return; // found already without the form
    std::optional<Strategy> strategy = makeCheckedStrategy(rule, mesh, factorAxes, partialAxes, form, kind);
    if (strategy)
      strategies.push_back(std::move(*strategy));
  }

  const Rule &rule;
  const Mesh &mesh;
  std::span<const ReduceKind> partialKinds;
  bool ascendingOnly;
  std::vector<AxisList> factorAxes;
  AxisList partialAxes;
  int form = -1;
  ReduceKind kind = ReduceKind::Sum;
  std::vector<Strategy> strategies;
};
} // namespace

std::vector<Strategy> enumerateStrategies(const Rule &rule, const Mesh &mesh, std::span<const ReduceKind> partialKinds,
                                          bool ascendingOnly) {
  return Enumeration(rule, mesh, partialKinds, ascendingOnly).run();
}

} // namespace froe
