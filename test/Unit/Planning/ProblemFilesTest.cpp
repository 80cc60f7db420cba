// Solves every problem of test/Planning with every solver and compares with what its `#!` lines expect:
//
//   #! cost 12            the best cost, proven
//   #! memory 140         no plan fits; the smallest needs 140 bytes
//   #! conflict           every choice is excluded
//   #! error line 3: ...  the text is no problem
#include "froe/Planning/Anytime.h"
#include "froe/Planning/Solve.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

namespace froe {
namespace {

std::string read(const std::filesystem::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string expectation(const std::string &text) {
  size_t begin = text.find("#! ");
  return begin == std::string::npos ? "nothing" : text.substr(begin + 3, text.find('\n', begin) - begin - 3);
}

using Solver = std::function<std::expected<Solution, NoPlan>(const Problem &)>;

/// `proves`: whether the solver proves all that it finds.
std::string answer(const std::string &text, const Solver &solver, bool proves) {
  std::expected<Problem, std::string> problem = Problem::parse(text);
  if (!problem)
    return "error " + problem.error();
  std::expected<Solution, NoPlan> solved = solver(*problem);
  if (solved) {
    std::string wrong = verify(*problem, *solved).value_or(proves && solved->gap() > 0 ? "not proven" : "");
    return wrong.empty() ? fmt::format("cost {}", solved->cost) : wrong;
  }
  if (solved.error().reason == NoPlan::Reason::Conflict)
    return "conflict";
  return fmt::format("memory {}", solved.error().smallestPeakBytes);
}

TEST(ProblemFiles, AreAnsweredAsExpected) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(FROE_PLANNING_PROBLEMS))
    if (entry.path().extension() == ".problem")
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  ASSERT_FALSE(paths.empty());
  for (const std::filesystem::path &path : paths) {
    std::string text = read(path);
    auto folded = [](const Problem &problem) { return solve(problem); };
    auto foldedAlone = [](const Problem &problem) { return solve(problem, {.starts = 0}); };
    auto anytime = [](const Problem &problem) { return solveAnytime(problem, {.seconds = 1}); };
    EXPECT_EQ(answer(text, folded, true), expectation(text)) << path.filename();
    EXPECT_EQ(answer(text, foldedAlone, false), expectation(text)) << path.filename();
    // Why there is no plan is not what the anytime search is for.
    std::string found = answer(text, anytime, true);
    if (found.starts_with("memory") || found.starts_with("conflict"))
      EXPECT_FALSE(expectation(text).starts_with("cost")) << path.filename();
    else
      EXPECT_EQ(found, expectation(text)) << path.filename();
  }
}

} // namespace
} // namespace froe
