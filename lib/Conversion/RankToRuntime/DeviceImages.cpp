#include "DeviceImages.h"

#include "froe/Conversion/GpuObjects.h"

#include "froe_rt.h"

using namespace mlir;

namespace froe {
namespace {

std::string archOf(gpu::ObjectAttr object) {
  std::string arch = chipOf(object).str();
  return isText(object) ? "compute_" + arch.substr(arch.find('_') + 1) : arch;
}

/// Text ends with a zero.
DenseElementsAttr bytesOf(gpu::ObjectAttr object) {
  std::string bytes = object.getObject().str();
  if (isText(object))
    bytes.push_back(0);
  auto type = RankedTensorType::get({int64_t(bytes.size())}, IntegerType::get(object.getContext(), 8));
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

} // namespace

DeviceImages::DeviceImages(ModuleOp module) {
  auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuKernels);
  if (!binary)
    return;
  llvm::append_range(objects, binary.getObjectsAttr().getAsRange<gpu::ObjectAttr>());
  for (gpu::KernelMetadataAttr kernel : objects.front().getKernels()) {
    auto number = [&](StringRef field) {
      auto attribute = kernel.getAttr<IntegerAttr>(field);
      return attribute ? attribute.getInt() : 0;
    };
    int64_t faults = 1; // the last parameter
    list.push_back({kernel.getName().getValue(), number(kGrid), number(kBlock), number(kSharedBytes),
                    int64_t(cast<FunctionType>(kernel.getFunctionType()).getNumInputs()) - faults});
  }
}

std::optional<int32_t> DeviceImages::indexOf(StringRef kernel) const {
  auto found = llvm::find_if(list, [&](const Kernel &each) { return each.name == kernel; });
  return found == list.end() ? std::nullopt : std::optional<int32_t>(found - list.begin());
}

Record DeviceImages::kernelRecord(ConstantData &data) const {
  Record record;
  for (const Kernel &kernel : list) {
    froe_device_kernel entry{};
    entry.block = kernel.block, entry.shared_bytes = kernel.sharedBytes, entry.buffer_count = kernel.buffers;
    record.append(entry);
    record.point<froe_device_kernel>(offsetof(froe_device_kernel, name), data.text(kernel.name));
  }
  return record;
}

Record DeviceImages::imageRecord(ConstantData &data) const {
  Record record;
  for (gpu::ObjectAttr object : objects) {
    DenseElementsAttr bytes = bytesOf(object);
    froe_image entry{};
    entry.bytes = bytes.size();
    record.append(entry);
    record.point<froe_image>(offsetof(froe_image, arch), data.text(archOf(object)));
    record.point<froe_image>(offsetof(froe_image, data), data.elements(UnknownLoc::get(object.getContext()), bytes));
  }
  return record;
}

} // namespace froe
