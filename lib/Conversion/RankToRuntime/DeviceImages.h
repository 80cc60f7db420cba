// What a program for GPUs holds besides its steps: kernels, machine code of them, and constants.
#pragma once

#include "ConstantData.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <optional>

namespace froe {

/// The kernels in `gpu.binary @kernels`, in the order of their names, and its objects: cubins, and PTX for devices that
/// are newer than all of them.
class DeviceImages {
public:
  explicit DeviceImages(mlir::ModuleOp module);

  struct Kernel {
    llvm::StringRef name;
    int64_t grid = 0, block = 0, sharedBytes = 0, buffers = 0;
  };
  llvm::ArrayRef<Kernel> kernels() const { return list; }
  std::optional<int32_t> indexOf(llvm::StringRef kernel) const;

  /// Records of `froe_device_kernel` and of `froe_image`.
  Record kernelRecord(ConstantData &data) const;
  Record imageRecord(ConstantData &data) const;
  int32_t imageCount() const { return objects.size(); }

private:
  llvm::SmallVector<mlir::gpu::ObjectAttr> objects;
  llvm::SmallVector<Kernel> list;
};

} // namespace froe
