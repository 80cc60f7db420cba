// Solves every problem of test/Planning and compares with what its `#!` lines expect:
//
//   #! cost 12            the best cost, proven
//   #! memory 140         no plan fits; the smallest needs 140 bytes
//   #! conflict           every choice is excluded
//   #! error line 3: ...  the text is no problem
#include "froe/Planning/Solve.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
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

std::string answer(const std::string &text) {
  std::expected<Problem, std::string> problem = Problem::parse(text);
  if (!problem)
    return "error " + problem.error();
  std::expected<Solution, NoPlan> solved = solve(*problem);
  if (solved) {
    std::string wrong = verify(*problem, *solved).value_or(solved->gap() > 0 ? "not proven" : "");
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
    EXPECT_EQ(answer(text), expectation(text)) << path.filename();
  }
}

} // namespace
} // namespace froe
