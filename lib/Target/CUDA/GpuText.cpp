#include "froe/Conversion/GpuObjects.h"
#include "froe/Conversion/ProgramTarget.h"
#include "froe/Target/Cuda.h"

#include <future>

using namespace mlir;

namespace froe {
namespace {

/// `make(item)` of each, at the same time; the first error if there is one.
template <class Items, class Make> auto forEach(const Items &items, Make make) {
  using Made = decltype(make(*items.begin()));
  std::vector<std::future<Made>> running;
  for (const auto &item : items)
    running.push_back(std::async(std::launch::async, [&make, &item] { return make(item); }));
  std::expected<std::vector<typename Made::value_type>, std::string> all;
  for (std::future<Made> &each : running) {
    Made made = each.get();
    if (made && all)
      all->push_back(std::move(*made));
    else if (all)
      all = std::unexpected(made.error());
  }
  return all;
}

gpu::KernelMetadataAttr describe(gpu::GPUFuncOp kernel) {
  Builder builder(kernel.getContext());
  KernelLaunch launch = launchOf(kernel);
  NamedAttrList fields;
  fields.set(kGrid, builder.getI64IntegerAttr(launch.grid));
  fields.set(kBlock, builder.getI64IntegerAttr(launch.block));
  if (launch.sharedBytes != 0)
    fields.set(kSharedBytes, builder.getI64IntegerAttr(launch.sharedBytes));
  return gpu::KernelMetadataAttr::get(kernel.getNameAttr(), kernel.getFunctionType(), /*argAttrs=*/nullptr,
                                      fields.getDictionary(kernel.getContext()));
}

gpu::KernelTableAttr describeAll(gpu::GPUModuleOp kernels) {
  SmallVector<gpu::KernelMetadataAttr> table;
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    table.push_back(describe(kernel));
  return gpu::KernelTableAttr::get(kernels.getContext(), table);
}

gpu::ObjectAttr makeObject(MLIRContext *context, StringRef arch, gpu::CompilationTarget format, StringRef bytes,
                           gpu::KernelTableAttr table) {
  constexpr int optimisation = 3;
  auto target = NVVM::NVVMTargetAttr::get(context, optimisation, "nvptx64-nvidia-cuda", arch);
  return gpu::ObjectAttr::get(target, format, StringAttr::get(context, bytes), /*properties=*/nullptr, table);
}

void createBinary(OpBuilder &builder, Location loc, ArrayRef<Attribute> objects) {
  gpu::BinaryOp::create(builder, loc, kGpuKernels, /*offloadingHandler=*/nullptr, objects);
}

} // namespace

std::expected<void, std::string> writeGpuText(ModuleOp module, const std::vector<std::string> &archs,
                                              const CudaToolkit &toolkit) {
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(kGpuKernels);
  if (!kernels)
    return {};
  gpu::KernelTableAttr table = describeAll(kernels);
  if (auto done = lowerGpuModules(module); !done)
    return done;
  auto texts = forEach(archs, [&](const std::string &arch) { return writePtx(kernels, arch, toolkit.libdevice); });
  if (!texts)
    return std::unexpected(texts.error());
  SmallVector<Attribute> objects;
  for (auto [arch, text] : llvm::zip(archs, *texts))
    objects.push_back(makeObject(module.getContext(), arch, gpu::CompilationTarget::Assembly, text, table));
  OpBuilder builder(kernels);
  createBinary(builder, kernels.getLoc(), objects);
  kernels.erase();
  return {};
}

std::expected<void, std::string> assembleGpuText(ModuleOp module, const CudaToolkit &toolkit) {
  auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuKernels);
  if (!binary)
    return {};
  auto texts = llvm::to_vector(binary.getObjectsAttr().getAsRange<gpu::ObjectAttr>());
  auto cubins = forEach(
      texts, [&](gpu::ObjectAttr text) { return assemble(text.getObject().str(), chipOf(text).str(), toolkit); });
  if (!cubins)
    return std::unexpected(cubins.error());
  SmallVector<Attribute> objects;
  for (auto [text, cubin] : llvm::zip(texts, *cubins))
    objects.push_back(
        makeObject(module.getContext(), chipOf(text), gpu::CompilationTarget::Binary, cubin.bytes, text.getKernels()));
  objects.push_back(*llvm::max_element(
      texts, [](gpu::ObjectAttr a, gpu::ObjectAttr b) { return archNumber(chipOf(a)) < archNumber(chipOf(b)); }));
  OpBuilder builder(binary);
  createBinary(builder, binary.getLoc(), objects);
  binary.erase();
  return {};
}

} // namespace froe
