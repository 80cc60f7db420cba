#include "froe/Planning/Problem.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace froe {

namespace {
/// The words of one line, read in order.
class Words {
public:
  explicit Words(const std::string &line) {
    std::istringstream stream(line.substr(0, line.find('#')));
    for (std::string word; stream >> word;)
      words.push_back(word);
  }

  bool done() const { return next == words.size(); }
  std::string_view peek() const { return done() ? "" : std::string_view(words[next]); }
  std::string take() { return done() ? "" : words[next++]; }
  bool eat(std::string_view word) {
    if (done() || words[next] != word)
      return false;
    ++next;
    return true;
  }
  template <typename Number> bool read(Number &value) {
    if (done())
      return false;
    const char *end = words[next].data() + words[next].size();
    auto [stop, code] = std::from_chars(words[next].data(), end, value);
    if (code != std::errc() || stop != end)
      return false;
    ++next;
    return true;
  }

private:
  std::vector<std::string> words;
  size_t next = 0;
};

class Parser {
public:
  std::expected<Problem, std::string> run(std::string_view text) {
    std::istringstream stream{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (auto why = readLine(line))
        return std::unexpected(fmt::format("line {}: {}", number, *why));
    }
    if (auto why = problem.check())
      return std::unexpected(*why);
    return std::move(problem);
  }

private:
  using Error = std::optional<std::string>;

  Error readLine(const std::string &line) {
    Words words(line);
    if (words.done())
      return std::nullopt;
    std::string kind = words.take();
    Error why;
    if (kind == "limit")
      why = words.read(problem.memoryLimit) ? Error() : Error("expected a number of bytes");
    else if (kind == "node")
      why = readNode(words);
    else if (kind == "edge")
      why = readEdge(words);
    else
      why = fmt::format("expected limit, node or edge, found '{}'", kind);
    if (!why && !words.done())
      why = fmt::format("unexpected '{}'", words.peek());
    return why;
  }

  Error readNode(Words &words) {
    PlanNode node{.name = words.take(), .cost = {}, .uses = {}};
    if (!numbers.try_emplace(node.name, static_cast<int>(problem.nodes.size())).second)
      return fmt::format("node '{}' is there already", node.name);
    if (!words.eat("cost"))
      return "expected cost";
    readNumbers(words, node.cost.edit());
    while (words.eat("uses")) {
      MemoryUse &use = node.uses.emplace_back();
      if (!readInterval(words.take(), use.live))
        return "expected an interval such as 0..3";
      readNumbers(words, use.bytes.edit());
    }
    if (words.eat("fixed") && !words.read(node.fixed))
      return "expected the number of a strategy";
    problem.nodes.push_back(std::move(node));
    return std::nullopt;
  }

  Error readEdge(Words &words) {
    PlanEdge edge;
    for (int *end : {&edge.from, &edge.to}) {
      std::string name = words.take();
      auto it = numbers.find(name);
      if (it == numbers.end())
        return fmt::format("there is no node '{}' above", name);
      *end = it->second;
    }
    if (!words.eat("cost"))
      return "expected cost";
    size_t columns = problem.nodes[edge.to].cost.size();
    do {
      size_t before = edge.cost.size();
      readNumbers(words, edge.cost.edit());
      if (edge.cost.size() - before != columns)
        return fmt::format("expected rows of {} costs, found {}", columns, edge.cost.size() - before);
    } while (words.eat("/"));
    problem.edges.push_back(std::move(edge));
    return std::nullopt;
  }

  template <typename Number> static void readNumbers(Words &words, std::vector<Number> &list) {
    for (Number value; words.read(value);)
      list.push_back(value);
  }

  static bool readInterval(const std::string &word, Interval &interval) {
    size_t dots = word.find("..");
    auto read = [](std::string_view text, int64_t &value) {
      auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
      return code == std::errc() && end == text.data() + text.size();
    };
    return dots != std::string::npos && read(std::string_view(word).substr(0, dots), interval.begin) &&
           read(std::string_view(word).substr(dots + 2), interval.end);
  }

  Problem problem;
  std::map<std::string, int> numbers;
};
} // namespace

std::expected<Problem, std::string> Problem::parse(std::string_view text) { return Parser().run(text); }

std::string Problem::str() const {
  std::string text;
  if (memoryLimit != kUnlimited)
    text += fmt::format("limit {}\n", memoryLimit);
  for (const PlanNode &node : nodes) {
    text += fmt::format("node {} cost", node.name);
    for (double cost : node.cost)
      text += fmt::format(" {}", cost);
    for (const MemoryUse &use : node.uses) {
      text += fmt::format(" uses {}..{}", use.live.begin, use.live.end);
      for (int64_t bytes : use.bytes)
        text += fmt::format(" {}", bytes);
    }
    text += node.fixed >= 0 ? fmt::format(" fixed {}\n", node.fixed) : "\n";
  }
  for (const PlanEdge &edge : edges) {
    text += fmt::format("edge {} {} cost", nodes[edge.from].name, nodes[edge.to].name);
    size_t columns = nodes[edge.to].cost.size();
    for (size_t i = 0; i < edge.cost.size(); ++i)
      text += fmt::format("{}{}", i > 0 && i % columns == 0 ? " / " : " ", edge.cost[i]);
    text += "\n";
  }
  return text;
}

} // namespace froe
