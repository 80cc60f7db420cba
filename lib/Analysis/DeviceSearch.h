#pragma once

#include "ArithmeticBound.h"
#include "Microbatch.h"
#include "StagePlanner.h"

#include <map>
#include <memory>
#include <mutex>

namespace froe {

/// What a search for the best division of some devices found.
struct BestDivision {
  std::optional<StagedPlan> plan;
  double bound = 0;     ///< no plan of any division costs less
  int64_t searched = 0; ///< divisions that cheap bounds did not decide
  /// Without a plan: the division whose smallest choice needs least, and the choice, if one is known.
  Division smallestDivision;
  int64_t smallestPeakBytes = 0;
  std::vector<int> smallest;
  std::string conflict; ///< why constraints leave no plan, where that is the reason
};

/// What may be searched.
struct SearchSpace {
  std::optional<Mesh> mesh; ///< of each stage; nothing: all with at most `maxAxes` axes
  int maxAxes = 3;
  int64_t stages = 1;       ///< 0: all numbers
  int64_t microbatches = 0; ///< 0: some between eight for each stage and one; one where there is one stage
  double tolerance = 0;     ///< divisions that may be better by less are not looked at further
  double fineTolerance = 0; ///< the same where there are few
  size_t batch = 8;         ///< see CandidateSearch
};

/// Finds the best division of a number of devices.
class DeviceSearch {
public:
  using Restrict = std::function<std::optional<std::string>(ProgramGraph &graph)>;

  /// `restrict` takes out of a graph what the user does not want, or says why nothing is left.
  DeviceSearch(mlir::ModuleOp module, const Cluster &cluster, const PlanOptions &options, Restrict restrict);

  BestDivision search(int64_t devices, const SearchSpace &where);
  /// @main of one microbatch of so many. Thread safe for numbers that were asked for before.
  mlir::func::FuncOp microbatch(int64_t count);
  /// The decisions of a division, restricted.
  std::expected<std::unique_ptr<ProgramGraph>, std::string> graphOf(const Division &division);
  int64_t memoryLimitOf(int64_t devices) const;

private:
  struct Candidate {
    Division division;
    double bound = 0;
  };
  std::vector<Candidate> candidatesFor(int64_t devices, const SearchSpace &where);
  std::vector<Mesh> meshesOf(int64_t devices, const SearchSpace &where, bool coarseToo) const;
  std::vector<int64_t> stageCounts(int64_t devices, const SearchSpace &where) const;
  std::vector<int64_t> microbatchCounts(int64_t stages, const SearchSpace &where) const;
  double arithmeticSeconds(const Division &division);

  /// Graphs that nobody works on, by the number of microbatches. Thread safe.
  class IdleGraphs {
  public:
    std::unique_ptr<ProgramGraph> take(int64_t microbatches) {
      std::lock_guard lock(mutex);
      std::vector<std::unique_ptr<ProgramGraph>> &same = graphs[microbatches];
      if (same.empty())
        return nullptr;
      std::unique_ptr<ProgramGraph> graph = std::move(same.back());
      same.pop_back();
      --count;
      return graph;
    }
    void give(int64_t microbatches, std::unique_ptr<ProgramGraph> graph) {
      constexpr int kMost = 4; // they are large
      std::lock_guard lock(mutex);
      if (count < kMost) {
        graphs[microbatches].push_back(std::move(graph));
        ++count;
      }
    }
    void clear() {
      std::lock_guard lock(mutex);
      graphs.clear();
      count = 0;
    }

  private:
    std::mutex mutex;
    int count = 0;
    std::map<int64_t, std::vector<std::unique_ptr<ProgramGraph>>> graphs;
  };

  mlir::ModuleOp module;
  const Cluster &cluster;
  const PlanOptions &options;
  Restrict restrict;
  int64_t batch = 1;
  std::map<int64_t, ArithmeticBound> arithmetic; ///< of a microbatch, by their number
  IdleGraphs idle;
  std::map<int64_t, mlir::OwningOpRef<mlir::ModuleOp>> microbatches;
};

} // namespace froe
