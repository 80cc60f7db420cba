#include "froe/Planning/ContestFile.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <zlib.h>

namespace froe {
namespace {

const std::string kNodes = R"("nodes": {"intervals": [[0, 2], [1, 3]], "costs": [[1, 2], [4, 1000000000000000000]],
                              "usages": [[60, 30], [50, 80]]})";
const std::string kEdges = R"("edges": {"nodes": [[0, 1]], "costs": [[0, 5, 2, 1e18]]})";

std::string problemText(const std::string &nodes, const std::string &edges, const std::string &limit = "100") {
  return R"({"problem": {"name": "a \"b\"", )" + edges + ", " + nodes + R"(, "usage_limit": )" + limit +
         R"(}, "other": [true, {"x": null}]})";
}

class ContestFile : public testing::Test {
protected:
  ~ContestFile() override { std::filesystem::remove(path); }

  std::expected<Problem, std::string> read(const std::string &text, const ContestLimits &limits = {}) {
    std::ofstream(path) << text;
    return readContestProblem(path, limits);
  }
  /// The error without the file's name.
  std::string error(const std::string &text, const ContestLimits &limits = {}) {
    std::expected<Problem, std::string> problem = read(text, limits);
    return problem ? "" : problem.error().substr(path.string().size() + 2);
  }

  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("froe-contest-" + std::to_string(getpid()) + "-" +
                                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ContestFile, IsReadAsProblem) {
  std::expected<Problem, std::string> problem = read(problemText(kNodes, kEdges));
  ASSERT_TRUE(problem) << problem.error();
  EXPECT_EQ(problem->str(), "limit 100\n"
                            "node 0 cost 1 2 uses 0..2 60 30\n"
                            "node 1 cost 4 inf uses 1..3 50 80\n"
                            "edge 0 1 cost 0 5 / 2 inf\n");
}

TEST_F(ContestFile, MayBeCompressed) {
  std::string text = problemText(kNodes, kEdges);
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_TRUE(readContestProblem(path));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(readContestProblem(path));
}

TEST_F(ContestFile, TextThatIsNoProblem) {
  EXPECT_FALSE(readContestProblem(path)); // there is none
  EXPECT_EQ(error(""), "byte 0: expected '{', found the end");
  EXPECT_EQ(error("[]"), "byte 0: expected '{'");
  EXPECT_EQ(error("{}"), "expected a problem");
  EXPECT_EQ(error(R"({"problem": {}})"), "byte 14: expected nodes and edges");
  std::string text = problemText(kNodes, kEdges);
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_NE(error(text.substr(0, length)), "") << length;
  EXPECT_NE(error(text + "x"), "");
  EXPECT_NE(error(R"({"other": )" + std::string(100'000, '[')), "");
  EXPECT_NE(error(R"({"problem": {)" + kNodes + ", " + kNodes + "}}"), "");
}

TEST_F(ContestFile, NumbersThatAreNone) {
  auto withCosts = [&](const std::string &costs) {
    return error(problemText(R"("nodes": {"intervals": [[0, 2]], "costs": [[)" + costs + R"(]], "usages": [[5]]})",
                             R"("edges": {"nodes": [], "costs": []})"));
  };
  EXPECT_EQ(withCosts("7"), "");
  EXPECT_EQ(withCosts("7.5e3"), "");
  for (const char *bad : {"NaN", "-1", "1e400", "Infinity", "1e19", "99999999999999999999999", "--1", "+1", "1.2.3",
                          "\"7\"", "[7]", "null", "1 2", "", "7,", "0x10"})
    EXPECT_NE(withCosts(bad), "") << bad;
}

TEST_F(ContestFile, ListsThatDisagree) {
  auto nodes = [](const char *intervals, const char *costs, const char *usages) {
    return std::string(R"("nodes": {"intervals": )") + intervals + R"(, "costs": )" + costs + R"(, "usages": )" +
           usages + "}";
  };
  auto edges = [](const char *ends, const char *costs) {
    return std::string(R"("edges": {"nodes": )") + ends + R"(, "costs": )" + costs + "}";
  };
  const std::string none = edges("[]", "[]"), two = nodes("[[0,1],[0,1]]", "[[1,2],[3]]", "[[1,2],[3]]");
  EXPECT_EQ(error(problemText(two, none)), "");
  EXPECT_EQ(error(problemText(nodes("[[0,1]]", "[[1],[3]]", "[[1],[3]]"), none)),
            "intervals of nodes: expected 2, found 1");
  EXPECT_EQ(error(problemText(nodes("[[0,1]]", "[[1]]", "[]"), none)), "usages of nodes: expected 1, found 0");
  EXPECT_EQ(error(problemText(nodes("[[0,1]]", "[[]]", "[[]]"), none)), "node 0: no strategies");
  EXPECT_EQ(error(problemText(nodes("[[0,1]]", "[[1,2]]", "[[1]]"), none)), "node 0: usages: expected 2, found 1");
  EXPECT_EQ(error(problemText(nodes("[[0]]", "[[1]]", "[[1]]"), none)),
            "node 0: ends of the interval: expected 2, found 1");
  EXPECT_NE(error(problemText(nodes("[[-1,2]]", "[[1]]", "[[1]]"), none)), "");
  EXPECT_NE(error(problemText(nodes("[[0,1]]", "[[1]]", "[[1e300]]"), none)), "");
  EXPECT_EQ(error(problemText(two, edges("[[0,1]]", "[]"))), "costs of edges: expected 1, found 0");
  EXPECT_EQ(error(problemText(two, edges("[[0,1]]", "[[1]]"))), "edge 0: costs: expected 2, found 1");
  EXPECT_EQ(error(problemText(two, edges("[[0,2]]", "[[1,2]]"))), "edge 0: between nodes 0 and 2 of 2");
  EXPECT_EQ(error(problemText(two, edges("[[1,1]]", "[[1]]"))), "edge 0: leads from node 1 to itself");
  EXPECT_EQ(error(problemText(two, edges("[[0]]", "[[1]]"))), "edge 0: ends: expected 2, found 1");
  EXPECT_NE(error(problemText(two, none, "-5")), "");
}

TEST_F(ContestFile, SizesAreLimited) {
  std::string text = problemText(kNodes, kEdges);
  EXPECT_NE(error(text, {.bytes = 100}), "");
  EXPECT_NE(error(text, {.numbers = 10}), "");
  gzFile file = gzopen(path.c_str(), "wb9"); // ten million blanks in ten thousand bytes
  std::string blanks(1'000'000, ' ');
  for (int i = 0; i < 10; ++i)
    gzwrite(file, blanks.data(), static_cast<unsigned>(blanks.size()));
  gzclose(file);
  std::expected<Problem, std::string> bomb = readContestProblem(path, {.bytes = 5'000'000});
  ASSERT_FALSE(bomb);
  EXPECT_TRUE(bomb.error().ends_with("the text is longer than a problem may be")) << bomb.error();
}

} // namespace
} // namespace froe
