#pragma once

#include "ArithmeticBound.h"
#include "DivisionOrder.h"
#include "LayerBound.h"
#include "Microbatch.h"
#include "StagePlanner.h"

#include <limits>
#include <map>
#include <memory>
#include <mutex>

namespace froe {

/// What a search for the best division of some devices found.
struct BestDivision {
  std::optional<StagedPlan> plan;
  double bound = std::numeric_limits<double>::infinity(); ///< no plan of any division costs less
  int64_t searched = 0;                                   ///< divisions that cheap bounds did not decide
  /// Without a plan: the division whose smallest choice needs least, and the choice, if one is known.
  Division smallestDivision;
  int64_t smallestPeakBytes = std::numeric_limits<int64_t>::max();
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
  int threads = 2;
};

/// Finds the best division of a number of devices. Several searches may run at once.
class DeviceSearch {
public:
  using Restrict = std::function<std::optional<std::string>(ProgramGraph &graph)>;

  /// `restrict` takes out of a graph what the user does not want, or says why nothing is left.
  DeviceSearch(mlir::ModuleOp module, const Cluster &cluster, const PlanOptions &options, Restrict restrict);

  BestDivision search(int64_t devices, const SearchSpace &where);
  /// @main of one microbatch of so many.
  mlir::func::FuncOp microbatch(int64_t count);
  /// The decisions of a division, restricted.
  std::expected<std::unique_ptr<ProgramGraph>, std::string> graphOf(const Division &division);
  int64_t memoryLimitOf(int64_t devices) const;

private:
  struct Candidate {
    Division division;
    double bound = 0;
  };
  class Pass;
  std::vector<Candidate> candidatesFor(int64_t devices, const SearchSpace &where);
  std::vector<Mesh> meshesOf(int64_t devices, const SearchSpace &where) const;
  std::vector<int64_t> stageCounts(int64_t devices, const SearchSpace &where) const;
  std::vector<int64_t> microbatchCounts(int64_t stages, const SearchSpace &where) const;
  double arithmeticSeconds(const Division &division);
  std::vector<Candidate> likelyFirst(std::vector<Candidate> candidates, const DivisionOrder &order) const;
  bool isFree() const { return options.constrain.empty() && options.planFile.empty() && options.force.empty(); }

  /// What is known of a microbatch on any mesh.
  struct Outline {
    std::optional<LayerSample> layers;
    std::vector<int64_t> cutBytes;
  };
  const Outline &outlineOf(const Division &division);

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
      constexpr int kMost = 3; // they are large
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

  /// Sums of the cheapest strategies. What an op computes depends on the sizes of the axes, not on their order, so that
  /// many meshes share one. Thread safe.
  class LeastSeconds {
  public:
    std::optional<double> find(const Division &division) {
      std::lock_guard lock(mutex);
      auto it = known.find(keyOf(division));
      return it == known.end() ? std::nullopt : std::optional(it->second);
    }
    void add(const Division &division, double seconds) {
      std::lock_guard lock(mutex);
      known.try_emplace(keyOf(division), seconds);
    }

  private:
    using Key = std::pair<int64_t, std::vector<int64_t>>;
    static Key keyOf(const Division &division) {
      Key key{division.microbatches, {}};
      for (const MeshAxis &axis : division.mesh.axes)
        key.second.push_back(axis.size);
      std::ranges::sort(key.second);
      return key;
    }
    std::mutex mutex;
    std::map<Key, double> known; ///< of one microbatch
  };

  mlir::ModuleOp module;
  const Cluster &cluster;
  const PlanOptions &options;
  Restrict restrict;
  int64_t batch = 1;
  std::mutex mutex;                              ///< of the two maps
  std::map<int64_t, ArithmeticBound> arithmetic; ///< of a microbatch, by their number
  std::map<int64_t, mlir::OwningOpRef<mlir::ModuleOp>> microbatches;
  IdleGraphs idle;
  LeastSeconds least;
  std::mutex outlining;
  std::map<int64_t, Outline> outlines; ///< by the number of microbatches
};

} // namespace froe
