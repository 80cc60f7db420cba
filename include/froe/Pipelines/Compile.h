#pragma once

#include "froe/Analysis/Plan.h"
#include "froe/Conversion/ProgramTarget.h"
#include "froe/Import/Import.h"
#include "froe/Pipelines/Phases.h"

#include <filesystem>
#include <functional>

namespace froe {

struct CompileOptions {
  std::string model; ///< an .onnx file, or an .mlir file of any phase
  ImportOptions import;

  std::string floats; ///< f16, bf16 or tf32 where f32 is to become that; empty: stays

  std::string mesh;               ///< of each stage: `2x4`, `data=2,model=4`; empty or `auto`: the best one
  int64_t devices = 0;            ///< 0: the cluster's, or one
  std::string cluster;            ///< preset or file; empty: what is usual for the target
  std::optional<Cluster> machine; ///< what `cluster` says, where it is known already
  PlanOptions plan;

  std::optional<ProgramTarget> target; ///< nothing: what the module says, or the CPU
  std::string cpu = "host"; ///< the processor of the ranks, by LLVM's name; `host` means any one where GPUs do the work
  bool annotate = false;    ///< phase `plan` says at each op what it costs
  std::string dumpFolder;   ///< every phase goes there, in numbered files; empty: none does
  /// Told the name of each part of the work as it starts.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

/// Why there is no answer.
struct CompileFailure {
  int exitCode = 1; ///< 1 the user's input is wrong, 2 not supported, 3 a bug in Froe
  Complaints lines;
};

template <class T> using Compiled = std::expected<T, CompileFailure>;

/// A model on its way to a package.
class Compilation {
public:
  explicit Compilation(CompileOptions options);
  ~Compilation();

  /// Imports the model or reads the module, and advances it to `phase` (at most `llvm`). An earlier phase than the
  /// file's is an error.
  Compiled<void> advanceTo(Phase phase);
  /// The plan, and with `layOutMemory` the memory that its program takes, where it can be known: the module goes on to
  /// phase `kernels`. One that is planned already is an error.
  Compiled<PlanResult> makePlan(bool layOutMemory = true);
  /// After `advanceTo(Phase::LLVM)`: writes the package to `folder`, replacing one that is there.
  Compiled<void> writePackage(const std::filesystem::path &folder);

  mlir::ModuleOp module() { return *root; }
  const Package &package() const { return contents; }
  /// After the first phase.
  const ProgramTarget &target() const { return *options.target; }
  const std::string &cluster() const { return options.cluster; }
  const std::optional<PlanResult> &planned() const { return planResult; }
  /// Wall-clock seconds of each phase so far, in order.
  const std::vector<std::pair<std::string, double>> &seconds() const { return times; }

private:
  CompileOptions options;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> root;
  std::optional<PlanResult> planResult;
  Cluster planMachine;     ///< what it is for
  std::string programText; ///< of phase `program`, as the plan was made for it
  Package contents;
  std::vector<std::pair<std::string, double>> times;
  int dumps = 0;
  bool clusterIsUsual = false; ///< and not the user's choice

  Compiled<void> start();
  Compiled<void> settleChoices();
  Compiled<void> settleFloats();
  Compiled<void> settleTarget();
  Compiled<void> checkTools(Phase phase) const;
  Compiled<void> step(Phase next);
  Compiled<void> setIsa();
  Compiled<PlanResult> choosePlan();
  Compiled<void> noteMemory();
  Compiled<void> dump();
  struct Devices {
    std::optional<Mesh> mesh; ///< of each stage; nothing: to be searched
    int64_t count = 1;        ///< of all stages
  };
  Compiled<Devices> chooseDevices(const Cluster &cluster) const;
  std::filesystem::path modelFolder();
  std::string processor() const;
  Compiled<void> writeFiles(const std::filesystem::path &folder);
};

} // namespace froe
