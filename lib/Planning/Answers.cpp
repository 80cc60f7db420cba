#include "Answers.h"

#include <algorithm>
#include <bit>

namespace froe {

namespace {
constexpr size_t kMostAnswers = 64; ///< a question has a few numbers for each node and edge

std::vector<int> labelsOf(const Model &model, std::vector<int> strategies) {
  for (size_t i = 0; i < strategies.size(); ++i) {
    const std::vector<int> &all = model.nodes[i].strategy;
    strategies[i] = static_cast<int>(std::ranges::lower_bound(all, strategies[i]) - all.begin());
  }
  return strategies;
}

std::vector<int> &choiceOf(Answers::Answer &answer) { return answer ? answer->choice : answer.error().smallest; }
} // namespace

Answers::Question Answers::questionOf(const Model &model, fold::Tables &tables, const SolveOptions &options) {
  tables.trim();
  Question question;
  auto add = [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>)
      question.push_back(std::bit_cast<uint64_t>(value));
    else
      question.push_back(static_cast<uint64_t>(value));
  };
  auto addFound = [&](const fold::Found &found) {
    add(found.id);
    add(found.offset);
  };
  add(options.seed);
  add(options.starts);
  add(options.tolerance);
  add(options.incumbent);
  add(options.price);
  add(model.limit);
  add(tables.getGeneration());
  add(model.nodes.size());
  for (const Model::Node &node : model.nodes) {
    addFound(tables.vector(node.cost));
    add(node.uses.size());
    for (const Model::Use &use : node.uses) {
      add(use.begin);
      add(use.end);
      add(tables.bytes(use.bytes));
    }
  }
  for (const Model::Edge &edge : model.edges) {
    add(edge.a);
    add(edge.b);
    addFound(tables.table(edge.cost, model.nodes[edge.a].labels(), model.nodes[edge.b].labels()));
  }
  return question;
}

std::optional<Answers::Answer> Answers::find(const Question &question, const Model &model) const {
  auto it = answers.find(question);
  if (it == answers.end())
    return std::nullopt;
  Answer answer = it->second;
  if (std::vector<int> &choice = choiceOf(answer); !choice.empty())
    choice = model.strategiesOf(choice);
  return answer;
}

void Answers::keep(Question question, const Model &model, Answer answer) {
  if (answers.size() >= kMostAnswers)
    answers.clear();
  choiceOf(answer) = labelsOf(model, choiceOf(answer));
  answers.emplace(std::move(question), std::move(answer));
}

} // namespace froe
