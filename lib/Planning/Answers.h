#pragma once

#include "Fold/Tables.h"
#include "Model.h"

#include "froe/Planning/Solve.h"

#include <map>
#include <optional>

namespace froe {

/// Answers to problems that were solved before: equal segments of a program pose equal problems.
class Answers {
public:
  /// All that an answer depends on.
  using Question = std::vector<uint64_t>;
  using Answer = std::expected<Solution, NoPlan>;

  static Question questionOf(const Model &model, fold::Tables &tables, const SolveOptions &options);

  /// The answer, if it is known, in the strategies of `model`.
  std::optional<Answer> find(const Question &question, const Model &model) const;
  void keep(Question question, const Model &model, Answer answer);

private:
  std::map<Question, Answer> answers; ///< choices are labels
};

} // namespace froe

struct froe::FoldCache::State {
  fold::Tables tables;
  Answers answers;
};
