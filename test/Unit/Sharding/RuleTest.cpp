#include "froe/Sharding/Rule.h"

#include <gtest/gtest.h>

namespace froe {
namespace {
using Shapes = std::vector<std::vector<int64_t>>;

/// The rule printed, or the error.
std::string parsed(std::string_view text, const Shapes &operands, const Shapes &results) {
  auto rule = Rule::parse(text, operands, results);
  return rule ? rule->str() : rule.error();
}

TEST(Rule, ReadsAndPrints) {
  EXPECT_EQ(parsed("(a, b, c) -> (a, b, c) | c: whole", {{2, 3, 4}}, {{2, 3, 4}}), "(a, b, c) -> (a, b, c) | c: whole");
  std::string product = "(m, k), (k, n) -> (m, n) | k: sum | partial 0: sum | partial 1: sum";
  EXPECT_EQ(parsed(product, {{2, 3}, {3, 4}}, {{2, 4}}), product);
  EXPECT_EQ(parsed("-> (a, 1)", {}, {{2, 1}}), "-> (a, 1)");
  EXPECT_EQ(parsed("() -> ()|partial 0: any", {{}}, {{}}), "() -> () | partial 0: any");
  EXPECT_EQ(parsed("(a,b)->(a)|b: max, a: whole|partial 0: max,min", {{2, 3}}, {{2}}),
            "(a, b) -> (a) | a: whole, b: max | partial 0: max, min");
}

TEST(Rule, PrintedFormReadsTheSame) {
  Shapes operands = {{6, 4}, {6, 4}}, results = {{6, 4}};
  Rule rule = Rule::parse("(...), (...) -> (...) | partial 0 1: sum", operands, results).value();
  EXPECT_EQ(Rule::parse(rule.str(), operands, results), rule);
}

TEST(Rule, FactorsHaveSizesAndKinds) {
  Rule rule = Rule::parse("(m, k), (k, n) -> (m, n) | k: sum", Shapes{{2, 3}, {3, 4}}, Shapes{{2, 4}}).value();
  EXPECT_EQ(rule.factors,
            (std::vector<Factor>{
                {"m", 2, FactorKind::Parallel}, {"k", 3, FactorKind::Reduction}, {"n", 4, FactorKind::Parallel}}));
  EXPECT_EQ(rule.operands[1], (TensorFactors{{1}, {2}}));
}

TEST(Rule, RestStandsForTheRemainingDims) {
  EXPECT_EQ(parsed("(...), (...) -> (...)", {{2, 3}, {2, 3}}, {{2, 3}}), "(d0, d1), (d0, d1) -> (d0, d1)");
  EXPECT_EQ(parsed("(..., d0) -> (..., d0)", {{2, 3}}, {{2, 3}}), "(d0_, d0) -> (d0_, d0)");
  EXPECT_EQ(parsed("(..., a) -> (..., a)", {{3}}, {{3}}), "(a) -> (a)");
  EXPECT_EQ(parsed("(...), (...) -> (...)", {{2, 3}, {1, 3}}, {{2, 3}}), "(d0, d1), (1, d1) -> (d0, d1)");
  EXPECT_EQ(parsed("(...) -> (...)", {{1, 3}}, {{1, 3}}), "(d0, d1) -> (d0, d1)");
}

TEST(Rule, SizesOfMergedDimsAreInferred) {
  Rule rule = Rule::parse("(b*s, h) -> (b, s, h)", Shapes{{6, 5}}, Shapes{{2, 3, 5}}).value();
  EXPECT_EQ(rule.factors[0], (Factor{"b", 2}));
  EXPECT_EQ(rule.factors[1], (Factor{"s", 3}));
  EXPECT_EQ(Rule::parse("(b, h) -> (b, g*h)| g: whole", Shapes{{2, 3}}, Shapes{{2, 12}})->factors[2].size, 4);
  EXPECT_EQ(parsed("(b*s) -> (b*s)", {{6}}, {{6}}),
            "rule '(b*s) -> (b*s)': the size of factor 'b' follows from no shape");
}

TEST(Rule, SaysWhatIsWrong) {
  auto wrong = [](std::string_view text, const Shapes &operands, const Shapes &results) {
    std::string why = parsed(text, operands, results), prefix = "rule '" + std::string(text) + "': ";
    return why.starts_with(prefix) ? why.substr(prefix.size()) : "no error: " + why;
  };
  EXPECT_EQ(wrong("(a -> (a)", {{2}}, {{2}}), "expected ')' at '-> (a)'");
  EXPECT_EQ(wrong("(a) (a)", {{2}}, {{2}}), "expected '->' at '(a)'");
  EXPECT_EQ(wrong("(a) -> (a) b", {{2}}, {{2}}), "expected '|' or the end at 'b'");
  EXPECT_EQ(wrong("(a) -> () | a: mean", {{2}}, {{}}),
            "expected one of whole, sum, product, max, min, and, or at 'mean'");
  EXPECT_EQ(wrong("(a) -> (a) | b: sum", {{2}}, {{2}}), "'b' is no factor of any tensor");
  EXPECT_EQ(wrong("(a) -> (a) | partial x: sum", {{2}}, {{2}}), "expected the number of an operand at 'x: sum'");
  EXPECT_EQ(wrong("(a) -> (a)", {{2}, {2}}, {{2}}), "expected 1 operands and 1 results, found 2 and 1");
  EXPECT_EQ(wrong("(a) -> (a)", {{2, 3}}, {{2}}), "expected 1 dims, found 2");
  EXPECT_EQ(wrong("(..., ...) -> ()", {{2}}, {{}}), "'...' occurs twice in one tensor");
  EXPECT_EQ(wrong("(...), (...) -> (...)", {{2, 3}, {3}}, {{2, 3}}),
            "'...' stands for 2 dims in one tensor and 1 in another");
  EXPECT_EQ(wrong("(a), (a) -> (a)", {{2}, {3}}, {{2}}), "operand 1: dim 0 has size 3, but its factors make 2");
  EXPECT_EQ(wrong("(a, 1) -> (a)", {{2, 3}}, {{2}}), "operand 0: dim 1 has size 3, but its factors make 1");
  EXPECT_EQ(wrong("(a, a) -> (a)", {{2, 2}}, {{2}}), "operand 0: factor 'a' occurs twice in one tensor");
  EXPECT_EQ(wrong("(a) -> (a) | a: sum", {{2}}, {{2}}), "reduction factor 'a' occurs in a result");
  EXPECT_EQ(wrong("(a, b) -> (a)", {{2, 3}}, {{2}}),
            "factor 'b' of an operand is missing in a result: it must be whole or a reduction");
  EXPECT_EQ(wrong("(a) -> (a) | partial 1: sum", {{2}}, {{2}}), "a partial form names operand 1 of 1");
  EXPECT_EQ(wrong("(a) -> (a) | partial : sum", {{2}}, {{2}}), "a partial form names no operand or no kind");
}

} // namespace
} // namespace froe
