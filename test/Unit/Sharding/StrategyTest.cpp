#include "froe/Sharding/Strategy.h"

#include "Devices.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace froe {
namespace {
using Shapes = std::vector<std::vector<int64_t>>;
using test::Array;
using test::Devices;

Mesh mesh(std::string_view text) { return Mesh::parse(text).value(); }

struct Case {
  std::string text;
  Shapes operands, results;
  Rule rule = Rule::parse(text, operands, results).value();
};

const Case kProduct{"(m, k), (k, n) -> (m, n) | k: sum | partial 0: sum | partial 1: sum", {{4, 5}, {5, 6}}, {{4, 6}}};
const Case kUnmerge{"(b*s, h) -> (b, s, h) | partial 0: any", {{8, 3}}, {{2, 4, 3}}};

std::string error(const Case &c, std::string_view grid, std::vector<AxisList> axes, AxisList partial = {},
                  int form = -1, ReduceKind kind = ReduceKind::Sum) {
  auto strategy = makeStrategy(c.rule, mesh(grid), axes, partial, form, kind);
  return strategy ? "" : strategy.error();
}

TEST(Strategy, ShardingsFollowFromTheRule) {
  Mesh grid = mesh("2x2");
  Strategy strategy = makeStrategy(kProduct.rule, grid, {{}, {0}, {1}}).value();
  EXPECT_EQ(strategy.operands[0].str(grid), R"([{}, {"x"}])");
  EXPECT_EQ(strategy.operands[1].str(grid), R"([{"x"}, {"y"}])");
  EXPECT_EQ(strategy.results[0].str(grid), R"([{}, {"y"}], partial<sum>{"x"})");
  EXPECT_EQ(strategy.str(kProduct.rule, grid), "k=x n=y");
  EXPECT_EQ(makeStrategy(kProduct.rule, grid, {{}, {}, {}})->str(kProduct.rule, grid), "replicated");
}

TEST(Strategy, PartialFormsPassTermsOn) {
  Mesh grid = mesh("2x2");
  Strategy strategy = makeStrategy(kProduct.rule, grid, {{}, {0}, {}}, {1}, 1).value();
  EXPECT_EQ(strategy.operands[0].str(grid), R"([{}, {"x"}])");
  EXPECT_EQ(strategy.operands[1].str(grid), R"([{"x"}, {}], partial<sum>{"y"})");
  EXPECT_EQ(strategy.results[0].str(grid), R"([{}, {}], partial<sum>{"x", "y"})");
  EXPECT_EQ(strategy.str(kProduct.rule, grid), "k=x sum(1)=y");
}

TEST(Strategy, MergedDimsAreCutMajorFirst) {
  Mesh grid = mesh("2x2");
  EXPECT_EQ(makeStrategy(kUnmerge.rule, grid, {{0}, {1}, {}})->operands[0].str(grid), R"([{"x", "y"}, {}])");
  EXPECT_EQ(error(kUnmerge, "2x2", {{}, {0}, {}}), "factor 's' is cut inside 'b', which is not fully cut");
  EXPECT_EQ(error(kUnmerge, "3", {{0}, {}, {}}),
            "factor 'b' of size 2 is part of a dim and cannot be cut unevenly into 3");
  EXPECT_EQ(error(kUnmerge, "3", {{}, {}, {0}}), "");
}

TEST(Strategy, SaysWhatIsNotPossible) {
  Case whole{"(a, b) -> (a, b) | b: whole", {{4, 4}}, {{4, 4}}};
  EXPECT_EQ(error(whole, "2", {{}, {0}}), "factor 'b' must stay whole");
  EXPECT_EQ(error(whole, "2x2", {{0}, {0}}), "axis 'x' is used twice");
  EXPECT_EQ(error(whole, "2x2", {{2}, {}}), "axis 2 is not one of the 2 axes of the mesh");
  EXPECT_EQ(error(whole, "2x2", {{}}), "expected axes for 2 factors, found 1");
  EXPECT_EQ(error(whole, "2x2", {{}, {}}, {0}, 0), "there is no partial form 0");
  Case mixed{"(a, b) -> () | a: sum, b: max | partial 0: sum", {{4, 4}}, {{}}};
  EXPECT_EQ(error(mixed, "2x2", {{0}, {1}}), "factor 'b' makes max terms together with sum terms");
  EXPECT_EQ(error(mixed, "2x2", {{}, {1}}, {0}, 0), "factor 'b' makes max terms together with sum terms");
  EXPECT_EQ(error(mixed, "2x2", {{}, {}}, {0}, 0, ReduceKind::Max), "partial form 0 does not commute with max");
}

TEST(Strategy, EnumeratesAllOnceReplicatedFirst) {
  Mesh grid = mesh("2x2");
  std::vector<Strategy> all = enumerateStrategies(kProduct.rule, grid);
  EXPECT_EQ(all[0].str(kProduct.rule, grid), "replicated");
  // Of 2 axes each goes to none of 4 places (none, m, k, n) in 16 + 3 ways (order within a factor), or one or both to
  // either form: 2 x (2 x 4 + 1).
  EXPECT_EQ(all.size(), 16u + 3u + 2u * 9u);
  std::set<std::string> texts;
  for (const Strategy &strategy : all) {
    EXPECT_TRUE(texts.insert(strategy.str(kProduct.rule, grid)).second);
    EXPECT_EQ(makeStrategy(kProduct.rule, grid, strategy.factorAxes, strategy.partialAxes, strategy.partialForm,
                           strategy.partialKind),
              strategy);
  }
  EXPECT_TRUE(texts.contains("m=x,y"));
  EXPECT_TRUE(texts.contains("m=y,x"));
}

TEST(Strategy, EnumerationSkipsWhatHasNoUse) {
  EXPECT_EQ(enumerateStrategies(kProduct.rule, mesh("1")).size(), 1u);
  Case small{"(a) -> (a)", {{3}}, {{3}}};
  EXPECT_EQ(enumerateStrategies(small.rule, mesh("2x2")).size(), 3u); // not cut in 4
  EXPECT_EQ(enumerateStrategies(kUnmerge.rule, mesh("2"), std::vector{ReduceKind::Sum}).size(),
            4u); // none, b, h, partial
  EXPECT_EQ(enumerateStrategies(kUnmerge.rule, mesh("2")).size(), 9u);
}

/// What every device computes from its own blocks: for each point of its part of the loop space, the product of the
/// operands is added to the result. Padding is never touched, and garbage if it were.
Devices compute(const Case &c, const Strategy &strategy, const std::vector<Devices> &operands, const Mesh &grid) {
  Devices result{grid, c.results[0], strategy.results[0], {}};
  for (int64_t device = 0; device < grid.deviceCount(); ++device) {
    Array block(localShape(c.results[0], strategy.results[0], grid));
    std::vector<int64_t> counts, local;
    for (size_t f = 0; f < c.rule.factors.size(); ++f) {
      int64_t size = c.rule.factors[f].size;
      local.push_back(localSize(size, grid.blocks(strategy.factorAxes[f])));
      int64_t begin = grid.blockIndex(device, strategy.factorAxes[f]) * local[f];
      counts.push_back(std::clamp<int64_t>(size - begin, 0, local[f]));
    }
    auto place = [&](const TensorFactors &tensor, std::span<const int64_t> point) {
      std::vector<int64_t> index;
      for (const DimFactors &dim : tensor) {
        index.push_back(0);
        for (int f : dim)
          index.back() = index.back() * local[f] + point[f];
      }
      return index;
    };
    Array(counts).forEach([&](std::span<const int64_t> point) {
      double value = 1;
      for (size_t i = 0; i < operands.size(); ++i)
        value *= operands[i].blocks[device].at(place(c.rule.operands[i], point));
      block.at(place(c.rule.results[0], point)) += value;
    });
    result.blocks.push_back(std::move(block));
  }
  return result;
}

class EveryStrategy : public testing::TestWithParam<std::tuple<const char *, Case>> {};

TEST_P(EveryStrategy, ComputesTheWholeResult) {
  const auto &[text, c] = GetParam();
  Mesh grid = mesh(text), one = mesh("1");
  std::vector<Array> inputs;
  for (const std::vector<int64_t> &shape : c.operands) {
    inputs.emplace_back(shape);
    for (size_t i = 0; i < inputs.back().data.size(); ++i)
      inputs.back().data[i] = static_cast<double>(i % 7) - 2;
  }
  auto distribute = [&](const Strategy &strategy, const Mesh &on) {
    std::vector<Devices> operands;
    for (size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(Devices::distribute(inputs[i], strategy.operands[i], on));
    return operands;
  };
  Strategy alone = enumerateStrategies(c.rule, one)[0];
  Array expected = compute(c, alone, distribute(alone, one), one).blocks[0];
  for (const Strategy &strategy : enumerateStrategies(c.rule, grid, std::vector{ReduceKind::Sum})) {
    Devices result = compute(c, strategy, distribute(strategy, grid), grid);
    EXPECT_EQ(result.compare(expected), "") << strategy.str(c.rule, grid);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, EveryStrategy,
    testing::Combine(
        testing::Values("2", "3", "2x2", "2x3", "2x2x2"),
        testing::Values(kProduct, kUnmerge, Case{"(b, s, h) -> (b*s, h) | partial 0: sum", {{2, 4, 3}}, {{8, 3}}},
                        Case{"(a, b) -> (b, a)", {{5, 3}}, {{3, 5}}},
                        Case{"(b, m, k), (b, k, n) -> (b, m, n) | k: sum", {{2, 3, 5}, {2, 5, 4}}, {{2, 3, 4}}},
                        Case{"(b, h*d, k), (k, n) -> (b, h, d, n) | k: sum", {{2, 4, 3}, {3, 2}}, {{2, 2, 2, 2}}},
                        Case{"(a, b) -> (a) | b: sum", {{4, 7}}, {{4}}}, Case{"(a) -> (a, b)", {{3}}, {{3, 4}}})));

} // namespace
} // namespace froe
