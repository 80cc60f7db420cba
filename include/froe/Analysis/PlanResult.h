#pragma once

#include "froe/Sharding/Strategy.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace froe {

/// One value on its way from its maker to a user that needs it in another form.
struct Reshard {
  std::string to;        ///< name of the user; of a value that all users get in one form: the maker's
  double seconds = 0;    ///< > 0
  bool combines = false; ///< partial results are combined on the way
  std::string path;      ///< the collectives and cuts in order: `all_to_all(x: batch -> heads)`
};

/// The best other way to run one op.
struct RunnerUp {
  std::string strategy;
  /// What the plan would cost more with it, everything around chosen anew; an upper bound. Of one microbatch.
  double extraSeconds = 0;
  int64_t extraBytes = 0; ///< of one rank at its fullest
  bool fits = true;       ///< in memory
};

/// How one input, op or output is run.
struct Decision {
  std::string name;  ///< of the ONNX tensor (inputs, outputs, weights) or node
  std::string op;    ///< `input`, `output`, or the op's name without dialect
  std::string text;  ///< the strategy as text: `batch:x sum(ffn):y`; `replicated`
  Strategy strategy; ///< of an input or output: `results[0]` is its sharding
  double computeSeconds = 0;
  double communicationSeconds = 0; ///< of the collectives that combine partial results of this op
  double reshardSeconds = 0;       ///< of all other reshards of its results
  int64_t bytes = 0;               ///< results on one rank
  std::vector<std::string> dims;   ///< names of the dims of its first result
  std::vector<int64_t> shape;      ///< of its first result, whole
  int layer = -1, role = -1;       ///< equal roles do the same in different layers; -1: outside of all layers
  std::vector<Reshard> reshards;
  std::optional<RunnerUp> runnerUp;
};

/// What a plan by a simple rule costs on the same devices, whether it fits or not.
struct Alternative {
  std::string name; ///< as `--constrain` takes it: `replicated`, `data`, `tensor`
  double cost = 0;  ///< seconds
  int64_t memoryBytes = 0;
  bool fits = true; ///< in memory
};

/// The moment at which one rank holds most.
struct MemoryPeak {
  struct Holder {
    std::string name;
    int64_t bytes = 0;
  };
  std::string during;         ///< the op that runs then
  int64_t weightBytes = 0;    ///< live all the time
  std::vector<Holder> values; ///< the largest others that are live, largest first
  int64_t otherBytes = 0;     ///< all that are not listed
};

/// Layers of a model that are alike, e.g. those of an encoder.
struct LayerRun {
  int first = 0, count = 0;
};

/// Consecutive ops that one part of the devices runs, microbatch after microbatch. Inputs and weights belong to every
/// stage that uses them.
struct PlanStage {
  size_t firstOp = 0, lastOp = 0; ///< of `PlanResult::ops`, inclusive
  int64_t firstDevice = 0;        ///< it has as many, consecutive ones, as its mesh
  Mesh mesh;
  double seconds = 0;      ///< of one microbatch
  double sendSeconds = 0;  ///< until the next stage has its results
  int64_t weightBytes = 0; ///< of one rank
  int64_t memoryBytes = 0; ///< weights and live values of one rank at its fullest, as forecast
};

/// The best plan found for a number of devices.
struct DeviceCount {
  int64_t devices = 1;
  Mesh mesh; ///< of each stage
  int64_t stages = 1, microbatches = 1;
  double cost = 0;         ///< seconds; infinity: no plan fits
  int64_t memoryBytes = 0; ///< of the fullest rank; where no plan fits, the smallest found
};

struct PlanResult {
  Mesh mesh; ///< of each stage
  std::vector<PlanStage> stages;
  int64_t microbatches = 1;                   ///< parts of the batch that go through the stages one after the other
  double throughputPerSecond = 0;             ///< executions of the whole batch, one after the other
  std::vector<DeviceCount> deviceCounts;      ///< ascending; empty where only one number was asked about
  int64_t advisedDevices = 0;                 ///< fewer devices with which it is as fast; 0: none are
  int64_t searched = 1;                       ///< combinations of stages, mesh and microbatches that were weighed
  std::vector<Decision> inputs, ops, outputs; ///< arguments, ops and results of @main, in order
  std::vector<LayerRun> layers;
  double cost = 0, bound = 0;   ///< seconds of one execution of the whole batch, and a lower bound under the same costs
  int64_t weightBytes = 0;      ///< of one rank, as the model stores them
  int64_t memoryBytes = 0;      ///< weights and live values of one rank at its fullest, as forecast
  int64_t memoryLimitBytes = 0; ///< what one rank may use
  MemoryPeak memoryPeak;
  std::optional<int64_t> arenaBytes; ///< of each rank; known once the plan's program has its places in memory
  double searchSeconds = 0;
  std::vector<Alternative> alternatives;
  /// What the plan was made of, to tell later whether it still fits, and to ask further questions: `program`, a hash;
  /// `cluster`, a description; `constrain`; `memory_bytes`; ...
  nlohmann::ordered_json madeFor = nlohmann::ordered_json::object();
  std::vector<std::string> notes; ///< what the user should know, e.g. that a plan file was made for another cluster

  double gap() const { return cost > 0 ? (cost - bound) / cost : 0; }
};

/// What plan.json holds, and `froe plan --json` prints.
nlohmann::ordered_json planToJson(const PlanResult &plan);

} // namespace froe
