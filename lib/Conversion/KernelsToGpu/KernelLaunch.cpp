#include "froe/Conversion/GpuObjects.h"

using namespace mlir;

namespace froe {

KernelLaunch launchOf(gpu::GPUFuncOp kernel) {
  auto first = [](std::optional<ArrayRef<int32_t>> sizes) { return sizes ? sizes->front() : 0; };
  auto shared = kernel->getAttrOfType<IntegerAttr>(kSharedBytes);
  return {first(kernel.getKnownGridSize()), first(kernel.getKnownBlockSize()), shared ? int32_t(shared.getInt()) : 0};
}

} // namespace froe
