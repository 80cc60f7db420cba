#include "CheckPlan.h"

#include "froe/Sharding/Strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace froe {

namespace {

class PlanChecker {
public:
  explicit PlanChecker(const Mesh &mesh) : mesh(mesh) {}

  LogicalResult check(ShardableOpInterface op) {
    std::optional<Shardings> in = read(op, FroeDialect::kOperandShardings, op->getOperands());
    std::optional<Shardings> out = in ? read(op, FroeDialect::kResultShardings, op->getResults()) : std::nullopt;
    if (!out)
      return failure();
    Rule rule = op.getShardingRule();
    if (llvm::any_of(strategiesOf(rule), [&](const Strategy &s) { return s.operands == *in && s.results == *out; }))
      return success();
    return op->emitError("shardings ") << text(*in) << " -> " << text(*out) << " are no strategy of rule "
                                       << rule.str();
  }

  /// Reports what is wrong with a sharding of a tensor, if anything is.
  LogicalResult check(Operation *op, Attribute attribute, Type type) const {
    auto sharding = dyn_cast_if_present<ShardingAttr>(attribute);
    if (!sharding)
      return op->emitError("expected a plan: a sharding for each operand, result and argument");
    if (std::optional<std::string> why = sharding.check(mesh, cast<RankedTensorType>(type).getRank()))
      return op->emitError("sharding ") << sharding << " of " << type << ": " << *why;
    return success();
  }

private:
  using Shardings = std::vector<Sharding>;

  std::optional<Shardings> read(Operation *op, StringRef name, ValueRange values) const {
    auto attributes = op->getAttrOfType<ArrayAttr>(name);
    if (!attributes || attributes.size() != values.size())
      return op->emitError("expected a plan: '") << name << "' with " << values.size() << " shardings", std::nullopt;
    Shardings shardings;
    for (auto [attribute, value] : llvm::zip(attributes, values)) {
      if (failed(check(op, attribute, value.getType())))
        return std::nullopt;
      shardings.push_back(cast<ShardingAttr>(attribute).toSharding(mesh));
    }
    return shardings;
  }

  const std::vector<Strategy> &strategiesOf(const Rule &rule) {
    std::string key = rule.str();
    for (const Factor &factor : rule.factors)
      key += fmt::format("/{}", factor.size);
    auto [known, isNew] = strategies.try_emplace(key);
    if (isNew)
      known->second = enumerateStrategies(rule, mesh);
    return known->second;
  }

  std::string text(const Shardings &shardings) const {
    std::vector<std::string> texts;
    for (const Sharding &sharding : shardings)
      texts.push_back(sharding.str(mesh));
    return fmt::format("({})", fmt::join(texts, ", "));
  }

  const Mesh &mesh;
  std::map<std::string, std::vector<Strategy>> strategies; ///< by rule and sizes
};

} // namespace

LogicalResult checkPlan(func::FuncOp main, const Mesh &mesh) {
  PlanChecker checker(mesh);
  for (auto [index, type] : llvm::enumerate(main.getArgumentTypes()))
    if (failed(checker.check(main, main.getArgAttr(index, FroeDialect::kSharding), type)))
      return failure();
  for (auto [index, type] : llvm::enumerate(main.getResultTypes()))
    if (failed(checker.check(main, main.getResultAttr(index, FroeDialect::kSharding), type)))
      return failure();
  for (Operation &op : main.getBody().front().without_terminator()) {
    auto shardable = dyn_cast<ShardableOpInterface>(op);
    if (!shardable)
      return op.emitError("expected an op that can be sharded, found '") << op.getName() << "'";
    if (failed(checker.check(shardable)))
      return failure();
  }
  return success();
}

} // namespace froe
