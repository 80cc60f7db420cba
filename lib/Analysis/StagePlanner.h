#pragma once

#include "BuildProblem.h"
#include "StageCuts.h"

#include "froe/Analysis/Plan.h"
#include "froe/Cost/Cluster.h"
#include "froe/Planning/Solve.h"

#include <limits>

namespace froe {

/// One way to divide the work: the devices into stages with a mesh each, the batch into microbatches.
struct Division {
  int64_t stages = 1, microbatches = 1;
  Mesh mesh; ///< of each stage

  int64_t devices() const { return stages * mesh.deviceCount(); }
};

/// Seconds of the whole batch, in units of the seconds that all stages together need for a microbatch, where stages are
/// equally long; no split takes less.
///
///   latency    1 + (M - 1) / S     the first microbatch passes all S stages, each other one leaves the slowest later
///   throughput M / S               the slowest stage decides
double pipelineFactor(const Division &division, Objective objective);

/// What `stages` ranks may use together.
int64_t together(int64_t limit, int64_t stages);

/// What crosses each place at which a program may be cut, the narrowest first.
std::vector<int64_t> bytesAtCuts(const ProgramGraph &graph);
/// P13, of all stages: where fewest bytes cross, in equal parts.
double leastSendSeconds(const Division &division, const std::vector<int64_t> &cutBytes, const Cluster &cluster);

/// What a division costs at its best, as far as it was found out.
struct StagedPlan {
  Division division;
  /// Of a microbatch; cost and bound are of the whole batch. What several stages compute (tied weights) has the
  /// strategy of the last one.
  Solution solution;
  std::vector<PlanStage> stages;
  MemoryPeak memoryPeak; ///< of the fullest of several stages
  double throughputPerSecond = 0;
};

/// Why there is no plan, or none worth having.
struct NoStagedPlan {
  double bound = 0; ///< no plan of the division costs less; infinity: there is none at all
  NoPlan::Reason reason = NoPlan::Reason::NotBetter;
  int64_t smallestPeakBytes = 0;  ///< of one rank (Memory)
  std::vector<int> smallest = {}; ///< the choice that needs it, where that is known
  double price = 0;               ///< as Solution::price, of the whole batch, where it was looked for
  std::string why = "the constraints exclude each other: no choice of strategies keeps all of them"; ///< (Conflict)
};

/// What a division is planned for; seconds are of the whole batch.
struct StageGoal {
  double incumbent = std::numeric_limits<double>::infinity(); ///< no division is looked at further that has none below
  double known = std::numeric_limits<double>::infinity();     ///< a plan is there that costs this much
  double tolerance = 0; ///< a plan may cost so much more than the cheapest, as a part of it
  double price = 0;     ///< what a byte more on each rank may save about, in seconds; 0: unknown
};

/// Plans one division of a program. Not thread safe.
///
/// The microbatch is solved on the mesh of one stage first, with the memory of all stages together: every plan in
/// stages is one of this problem's, so its bound holds for all splits (P13). Its answer says where stages begin; each
/// stage is then solved by itself, under its own limit (P14), with what crosses a cut in one form.
class StagePlanner {
public:
  /// `graph` is a microbatch of the program on the division's mesh, with what may be chosen.
  StagePlanner(const ProgramGraph &graph, Division division, const Cluster &cluster, const PlanOptions &options,
               int64_t memoryLimit);

  /// A plan that serves the goal.
  std::expected<StagedPlan, NoStagedPlan> plan(const StageGoal &goal);
  /// The microbatch with the memory of all stages together; cost and bound are of the whole batch.
  std::expected<Solution, NoStagedPlan> relax(const StageGoal &goal);
  /// A lower bound for one microbatch that needs no edges: the cheapest strategy of each node.
  double leastSeconds();
  /// The microbatch on the mesh of one stage.
  const Problem &problem();
  CostModel &costModel() { return costs; }

private:
  std::expected<StagedPlan, NoStagedPlan> planStages(const Solution &relaxed, const StageGoal &goal);
  std::expected<StagedPlan, NoStagedPlan> solveStages(const Solution &relaxed, const StageCuts &cuts,
                                                      const std::vector<int> &firstUnits, const StageGoal &goal);
  double secondsOf(const std::vector<PlanStage> &stages) const;
  const Sharding &wireForm(const StageCuts &cuts, const std::vector<int> &choice, int node, int result);
  int64_t bytesSent(const StageCuts &cuts, const std::vector<int> &choice, int unit);
  PlanStage describeStage(const ProgramGraph &part, const Problem &problem, const std::vector<int> &choice) const;
  void finish(StagedPlan &plan) const;

  const ProgramGraph &graph;
  Division division;
  const Cluster &cluster;
  const PlanOptions &options;
  int64_t memoryLimit;
  CostModel costs;
  ProblemBuilder builder;
  FoldCache cache;
  std::optional<Problem> whole;
  std::optional<double> least;
  /// The form in which a value crosses a cut, by its type, what it may be, and the form in which it is there.
  std::map<std::tuple<const void *, const void *, int>, int> wireForms;
};

} // namespace froe
