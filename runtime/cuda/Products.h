// Matrix products: by cuBLASLt where it has one that fits, else by a plain kernel of the runtime.
#pragma once

#include "runtime/cuda/Gpu.h"

namespace froe::cuda {

class Products {
public:
  explicit Products(Gpu &gpu);
  ~Products();

  void multiply(int32_t step, const froe_matmul &matmul, void *const *buffers);

private:
  struct Plan;

  void loadLibrary();
  Plan &planOf(int32_t step, const froe_matmul &matmul);
  bool prepare(Plan &plan, const froe_matmul &matmul);
  void call(const Plan &plan, const froe_matmul &matmul, void *const *buffers);

  Gpu &gpu;
  bool looked = false;
  std::optional<CublasLtLibrary> library;
  LtHandle handle = nullptr;
  std::map<int32_t, std::unique_ptr<Plan>> plans; // by step
};

} // namespace froe::cuda
