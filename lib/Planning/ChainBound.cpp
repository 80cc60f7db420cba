#include "froe/Planning/ChainBound.h"

#include "Answers.h"
#include "Fold/Fold.h"

#include <cmath>

namespace froe {

namespace {
using fold::Found;
using fold::Id;

std::vector<int> endsOf(const ChainPart &part) {
  std::vector<int> ends;
  for (int node : {part.entry, part.exit})
    if (node >= 0)
      ends.push_back(node);
  return ends;
}

/// A part of which only the ends are left.
struct FoldedPart {
  Model model;
  fold::Fold folded;
  double seconds;

  FoldedPart(const ChainPart &part, fold::Tables &tables)
      : model(part.problem), folded(model, tables, endsOf(part)), seconds(folded.run(SlotPrices())) {}
};

/// What each label of the last exit costs at least, with all that is before it.
class Chain {
public:
  Chain(fold::Tables &tables, Id costs, double seconds) : tables(tables), costs(costs), seconds(seconds) {}

  void add(Id other) { take(tables.sum(costs, other)); }
  void pass(std::optional<Id> table, Id target) {
    if (table) {
      take(tables.message(costs, *table));
      add(target);
    } else {
      costs = target; // whatever the entry is: its cheapest label is taken out already
    }
  }

  fold::Tables &tables;
  Id costs;
  double seconds;

private:
  void take(Found found) {
    costs = found.id;
    seconds += found.offset;
  }
};
} // namespace

double chainBound(const ChainPart &front, const ChainPart &middle, int64_t count, const ChainPart &back,
                  FoldCache &cache) {
  fold::Tables &tables = cache.state().tables;
  tables.trim();
  int generation = tables.getGeneration();
  FoldedPart first(front, tables), each(middle, tables), last(back, tables);
  if (tables.getGeneration() != generation)
    return 0;
  Chain chain(tables, first.folded.costsOf(front.exit), first.seconds);
  std::optional<Id> table = each.folded.costsBetween(middle.entry, middle.exit);
  for (int64_t left = count; left > 0; --left) {
    Id before = chain.costs;
    double secondsBefore = chain.seconds;
    chain.add(each.folded.costsOf(middle.entry));
    chain.pass(table, each.folded.costsOf(middle.exit));
    chain.seconds += each.seconds;
    if (!std::isfinite(chain.seconds))
      return chain.seconds;
    if (chain.costs == before) {
      chain.seconds += double(left - 1) * (chain.seconds - secondsBefore);
      break;
    }
  }
  chain.add(last.folded.costsOf(back.entry));
  return chain.seconds + last.seconds;
}

} // namespace froe
