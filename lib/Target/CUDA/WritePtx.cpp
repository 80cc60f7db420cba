#include "froe/Target/Cuda.h"

#include "froe/Conversion/ProgramTarget.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace mlir;

namespace froe {
namespace {

/// The version of PTX that is written: what drivers of CUDA 12 read. Architectures that came later need a later one,
/// which LLVM knows.
const char *ptxFeature(const std::string &arch) { return archNumber(arch) <= 90 ? "+ptx80" : ""; }

std::expected<std::unique_ptr<llvm::TargetMachine>, std::string> machineFor(const std::string &arch) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return std::unexpected("this LLVM writes no code for NVIDIA GPUs: " + error);
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, ptxFeature(arch), options, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// What the lowering and the translation ask the dialects for.
void registerInterfaces(MLIRContext &context) {
  DialectRegistry registry;
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  context.appendDialectRegistry(registry);
  registerBuiltinDialectTranslation(context);
  registerGPUDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  registerNVVMDialectTranslation(context);
}

std::expected<gpu::GPUModuleOp, std::string> lowerToNvvm(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  registerInterfaces(*context);
  PassManager manager(context, gpu::GPUModuleOp::getOperationName());
  manager.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.useBarePtrCallConv = true;
  manager.addPass(createConvertGpuOpsToNVVMOps(options));
  manager.addPass(createReconcileUnrealizedCastsPass());
  if (failed(manager.run(module)))
    return std::unexpected("the kernels could not be lowered to the NVVM dialect");
  return module;
}

bool needsLibdevice(const llvm::Module &module) {
  return llvm::any_of(module,
                      [](const llvm::Function &f) { return f.isDeclaration() && f.getName().starts_with("__nv_"); });
}

std::expected<void, std::string> linkLibdevice(llvm::Module &module, const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return std::unexpected("cannot read '" + file + "': " + buffer.getError().message());
  auto library = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!library)
    return std::unexpected("cannot read '" + file + "': " + llvm::toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
                                [](llvm::Module &linked, const llvm::StringSet<> &names) {
                                  llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
                                    return !value.hasName() || !names.contains(value.getName());
                                  });
                                }))
    return std::unexpected("'" + file + "' could not be linked with the kernels");
  return {};
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  // Before what both sides of a branch begin with is moved in front of it, which stops in the middle of vectors.
  builder.registerScalarOptimizerLateEPCallback([](llvm::FunctionPassManager &manager, llvm::OptimizationLevel) {
    manager.addPass(llvm::LoadStoreVectorizerPass());
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

std::expected<std::string, std::string> emitText(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager emission;
  if (machine.addPassesToEmitFile(emission, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return std::unexpected("this LLVM writes no PTX");
  emission.run(module);
  return text.str().str();
}

} // namespace

std::expected<void, std::string> checkArchs(const std::vector<std::string> &archs, const CudaToolkit &toolkit) {
  auto anyMachine = machineFor("sm_80");
  if (!anyMachine)
    return std::unexpected(anyMachine.error());
  for (const std::string &arch : archs)
    if (!(*anyMachine)->getMCSubtargetInfo()->isCPUStringValid(arch))
      return std::unexpected("architecture '" + arch + "' is not known to LLVM");
    else if (!assemble(".version 8.0\n.target sm_80\n.address_size 64\n", arch, toolkit))
      return std::unexpected("architecture '" + arch + "' is not known to '" + toolkit.ptxas + "'");
  return {};
}

std::expected<void, std::string> lowerGpuModules(ModuleOp module) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    if (auto done = lowerToNvvm(kernels); !done)
      return std::unexpected(done.error());
  return {};
}

std::expected<std::string, std::string> writePtx(gpu::GPUModuleOp kernels, const std::string &arch,
                                                 const std::string &libdevice) {
  auto machine = machineFor(arch);
  if (!machine)
    return std::unexpected(machine.error());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return std::unexpected("the kernels could not be translated to LLVM IR");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  if (needsLibdevice(*module))
    if (auto done = linkLibdevice(*module, libdevice); !done)
      return std::unexpected(done.error());
  optimise(*module, **machine);
  return emitText(*module, **machine);
}

} // namespace froe
