#include "froe/Target/HostProgram.h"

#include "runtime/cpu/Extensions.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace froe {
namespace {

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> machineFor(const HostTarget &target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return std::unexpected("cannot make programs for this machine: " + error);
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(triple, target.cpu, target.features, options,
                                                                         llvm::Reloc::PIC_, std::nullopt,
                                                                         llvm::CodeGenOptLevel::Aggressive));
}

/// Functions say for which processor they are: inlining and vectorisation ask them, not the machine.
void setTarget(llvm::Module &module, const HostTarget &target, const llvm::TargetMachine &machine) {
  module.setTargetTriple(llvm::Triple(target.triple));
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
  }
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

} // namespace

HostTarget hostTarget() {
  HostTarget target{llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), "", ""};
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
  std::ranges::sort(features);
  for (const std::string &feature : features)
    target.features += (target.features.empty() ? "" : ",") + feature;
  return target;
}

/// As the runtime chooses (runtime/cpu/Isa.cpp).
static std::string isaOf(const HostTarget &target) {
  auto machine = machineFor(target);
  auto has = [&](const char *features) { return (*machine)->getMCSubtargetInfo()->checkFeatures(features); };
  return has("+avx512f,+avx512bw,+avx512dq,+avx512vl") ? "avx512" : has("+avx2,+fma,+f16c") ? "avx2" : "baseline";
}

std::vector<std::string> extensionsOf(const HostTarget &target) {
  auto machine = machineFor(target);
  std::vector<std::string> names;
  for (std::string_view name : cpu::knownExtensions())
    if (machine && (*machine)->getMCSubtargetInfo()->checkFeatures("+" + std::string(name)))
      names.emplace_back(name);
  return names;
}

std::expected<HostTarget, std::string> targetNamed(const std::string &cpu) {
  if (cpu == "host")
    return hostTarget();
  HostTarget target{llvm::sys::getDefaultTargetTriple(), cpu, "", ""};
  auto machine = machineFor({target.triple, "", "", ""});
  if (!machine)
    return std::unexpected(machine.error());
  if (!(*machine)->getMCSubtargetInfo()->isCPUStringValid(cpu))
    return std::unexpected("expected 'host' or a processor of " + target.triple +
                           " by LLVM's name, such as 'x86-64-v3', found '" + cpu + "'");
  target.isa = isaOf(target);
  return target;
}

std::expected<void, std::string> writeObject(mlir::ModuleOp module, const HostTarget &target,
                                             const std::string &objectFile) {
  auto machine = machineFor(target);
  if (!machine)
    return std::unexpected(machine.error());
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context, "froe");
  if (!translated)
    return std::unexpected("the program could not be translated to LLVM IR");
  setTarget(*translated, target, **machine);
  optimise(*translated, **machine);

  std::error_code error;
  llvm::raw_fd_ostream stream(objectFile, error, llvm::sys::fs::OF_None);
  if (error)
    return std::unexpected("cannot write '" + objectFile + "': " + error.message());
  llvm::legacy::PassManager emission;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return std::unexpected("LLVM has no object writer for '" + target.triple + "'");
  emission.run(*translated);
  stream.flush();
  if (stream.has_error()) {
    std::string message = stream.error().message();
    stream.clear_error();
    return std::unexpected("cannot write '" + objectFile + "': " + message);
  }
  return {};
}

} // namespace froe
