#include "froe/Pipelines/Phases.h"

#include "dialects/Rank/Rank.h"
#include "froe/Conversion/GpuObjects.h"
#include "froe/Conversion/Passes.h"
#include "froe/Conversion/ProgramTarget.h"
#include "froe/Target/Cuda.h"
#include "froe/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace froe {
namespace {

constexpr llvm::StringLiteral kAttribute = "froe.phase";
/// Constants of more elements are left out of dumps.
constexpr int64_t kLargestPrintedConstant = 1024;

/// Collects errors and their notes as lines for the user.
class CollectComplaints {
public:
  explicit CollectComplaints(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          lines.push_back(place(diagnostic.getLocation()) + diagnostic.str());
          for (Diagnostic &note : diagnostic.getNotes())
            lines.push_back("note: " + place(note.getLocation()) + note.str());
          return success();
        }) {}

  Complaints take(std::string_view otherwise) {
    if (lines.empty())
      lines.emplace_back(otherwise);
    return std::move(lines);
  }

private:
  Complaints lines;
  ScopedDiagnosticHandler handler;

  static std::string place(Location loc) {
    if (auto name = loc->findInstanceOf<NameLoc>())
      return "node '" + name.getName().str() + "': ";
    if (auto file = loc->findInstanceOf<FileLineColLoc>())
      return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()) + ": ").str();
    return "";
  }
};

/// What leads to each phase, and what holds afterwards.
void addPassesTo(Phase phase, const std::string &cluster, const std::string &floats, const ProgramTarget &target,
                 PassManager &manager) {
  switch (phase) {
  case Phase::Program:
    manager.addPass(createSimplify()); // what exporters spell out is one op
    manager.addPass(createCSEPass());
    manager.addPass(createUnshareRepeats());        // layers share only what they compute
    manager.addPass(createConvertFloats({floats})); // floats are of the type that was asked for
    manager.addPass(createWidenSums());             // sums of halves are f32
    return;
  case Phase::Rank:
    manager.addPass(createPartition({cluster})); // local shapes; values meet in the shardings that ops need
    manager.addPass(createCSEPass());
    return;
  case Phase::Kernels:
    manager.addPass(createSelectMatmuls()); // every contraction is a library call that strides express
    manager.addPass(createCSEPass());
    if (target.isCuda())
      manager.addPass(createFuseAttention()); // scores stay in registers
    manager.addPass(createFormKernels());     // @main is a straight line of steps
    if (target.isCuda())
      manager.addPass(createScheduleCollectives()); // collectives go on beside computation
    manager.addPass(createAssignArena());           // every buffer has its place
    return;
  case Phase::PTX:
    manager.addPass(createKernelsToGpu()); // kernels are what one thread of a GPU does
    return;
  case Phase::LLVM:
    if (!target.isCuda())
      manager.addPass(createLowerKernels()); // kernels are functions of the LLVM dialect
    manager.addPass(createRankToRuntime());  // and so is the rest
    return;
  case Phase::Plan: // a decision, which no pass makes
  case Phase::Exe:
    llvm_unreachable("no passes lead there");
  }
}

std::expected<void, Complaints> runPassesTo(Phase phase, const std::string &cluster, ModuleOp module,
                                            const std::string &floats = "") {
  PassManager manager(module.getContext());
  addPassesTo(phase, cluster, floats, targetOf(module), manager);
  CollectComplaints complaints(module.getContext());
  if (failed(manager.run(module)))
    return std::unexpected(complaints.take("a pass that leads to phase '" + std::string(name(phase)) + "' failed"));
  return {};
}

/// Before the passes that lead to phase `llvm`, behind those that lead to phase `ptx`: what other tools do.
std::expected<void, std::string> makeMachineCode(Phase phase, ModuleOp module) {
  std::expected<CudaToolkit, std::string> toolkit = findCudaToolkit();
  if (!toolkit)
    return std::unexpected(toolkit.error());
  return phase == Phase::PTX ? writeGpuText(module, targetOf(module).archs, *toolkit)
                             : assembleGpuText(module, *toolkit);
}

std::string textOfKernels(ModuleOp module) {
  auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuKernels);
  if (!binary)
    return "// the program has no kernels\n";
  std::string text;
  for (auto object : binary.getObjectsAttr().getAsRange<gpu::ObjectAttr>())
    text += ("// kernels for " + chipOf(object) + "\n" + object.getObject().getValue() + "\n").str();
  return text;
}

} // namespace

std::string_view name(Phase phase) {
  constexpr std::string_view names[] = {"program", "plan", "rank", "kernels", "ptx", "llvm", "exe"};
  return names[size_t(phase)];
}

std::optional<Phase> phaseNamed(std::string_view text) {
  for (Phase phase : kPhases)
    if (name(phase) == text)
      return phase;
  return std::nullopt;
}

std::optional<Phase> phaseOf(ModuleOp module) {
  auto attribute = module->getAttrOfType<StringAttr>(kAttribute);
  return attribute ? phaseNamed(attribute.getValue()) : std::nullopt;
}

void setPhase(ModuleOp module, Phase phase) {
  std::string_view text = name(phase);
  module->setAttr(kAttribute, StringAttr::get(module.getContext(), StringRef(text.data(), text.size())));
}

void registerDialects(DialectRegistry &registry) {
  registry.insert<FroeDialect, rank::RankDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect,
                  linalg::LinalgDialect, tensor::TensorDialect, memref::MemRefDialect, scf::SCFDialect,
                  vector::VectorDialect, LLVM::LLVMDialect, gpu::GPUDialect, NVVM::NVVMDialect>();
}

std::expected<OwningOpRef<ModuleOp>, Complaints> readModule(MLIRContext &context, const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return std::unexpected(Complaints{"cannot read '" + file + "': " + buffer.getError().message()});
  if ((*buffer)->getBuffer().contains("dense_resource<__elided__>"))
    return std::unexpected(Complaints{"'" + file + "': constants were left out of this dump, so it cannot be compiled",
                                      "note: --emit=PHASE writes the whole module"});
  CollectComplaints complaints(&context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), {});
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return std::unexpected(complaints.take("'" + file + "' is not a module"));
  return module;
}

std::string printPhase(ModuleOp module, bool elide) {
  if (phaseOf(module) == Phase::PTX)
    return textOfKernels(module);
  OpPrintingFlags flags;
  flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  if (elide)
    flags.elideLargeElementsAttrs(kLargestPrintedConstant);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  return text + "\n";
}

std::expected<void, Complaints> simplifyProgram(ModuleOp module, const std::string &floats) {
  if (auto done = runPassesTo(Phase::Program, /*cluster=*/"", module, floats); !done)
    return done;
  setPhase(module, Phase::Program);
  return {};
}

std::expected<void, Complaints> advance(ModuleOp module, Phase next, const std::string &cluster) {
  bool isAssembled = next == Phase::LLVM && targetOf(module).isCuda();
  if (isAssembled)
    if (auto done = makeMachineCode(next, module); !done)
      return std::unexpected(Complaints{done.error()});
  if (auto done = runPassesTo(next, cluster, module); !done)
    return done;
  if (next == Phase::PTX)
    if (auto done = makeMachineCode(next, module); !done)
      return std::unexpected(Complaints{done.error()});
  setPhase(module, next);
  return {};
}

} // namespace froe
