// The double of cuBLASLt.
#include "test/doubles/tests/Gpu.h"

#include <cstdlib>

namespace froe::cuda {
namespace {

/// D[3x2] = A[3x4] B[4x2], column-major, in two batches.
struct Product {
  LtHandle handle;
  LtMatmul matmul;
  LtLayout a, b, d;

  explicit Product(int64_t leading = 3, LtEpilogue epilogue = kLtNone, const void *bias = nullptr) {
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&matmul, kLtCompute32F, kLtF32);
    cublasLtMatmulDescSetAttribute(matmul, kLtEpilogue, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(matmul, kLtBiasPointer, &bias, sizeof bias);
    cublasLtMatrixLayoutCreate(&a, kLtF32, 3, 4, leading);
    cublasLtMatrixLayoutCreate(&b, kLtF32, 4, 2, 4);
    cublasLtMatrixLayoutCreate(&d, kLtF32, 3, 2, 3);
    batch(a, 12), batch(b, 8), batch(d, 6);
  }
  static void batch(LtLayout layout, int64_t stride) {
    int32_t count = 2;
    cublasLtMatrixLayoutSetAttribute(layout, kLtBatchCount, &count, sizeof count);
    cublasLtMatrixLayoutSetAttribute(layout, kLtBatchStride, &stride, sizeof stride);
  }
  LtResult run(Gpu &gpu, Address aData, Address bData, Address dData) {
    float one = 1, zero = 0;
    auto pointer = [](Address address) { return reinterpret_cast<void *>(address); };
    return cublasLtMatmul(handle, matmul, &one, pointer(aData), a, pointer(bData), b, &zero, pointer(dData), d,
                          pointer(dData), d, nullptr, nullptr, 0, gpu.compute);
  }
};

std::vector<float> counting(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(float(i % 7) - 3);
  return values;
}

TEST(CublasLtDouble, MultipliesColumnMajorBatches) {
  Gpu gpu;
  Address a = gpu.allocate(96), b = gpu.allocate(64), d = gpu.allocate(48), bias = gpu.allocate(12);
  gpu.upload(a, counting(24)), gpu.upload(b, counting(16)), gpu.upload(bias, {1, 2, 3});
  Product product(3, kLtReluBias, reinterpret_cast<void *>(bias));
  EXPECT_EQ(product.run(gpu, a, b, d), kLtSuccess);
  std::vector<float> found = gpu.download(d, 12, gpu.compute), x = counting(24), y = counting(16);
  for (size_t batch = 0; batch < 2; ++batch)
    for (size_t column = 0; column < 2; ++column)
      for (size_t row = 0; row < 3; ++row) {
        float sum = float(row + 1);
        for (size_t k = 0; k < 4; ++k)
          sum += x[batch * 12 + k * 3 + row] * y[batch * 8 + column * 4 + k];
        EXPECT_EQ(found[batch * 6 + column * 3 + row], std::max(sum, 0.0f));
      }
  for (Address address : {a, b, d, bias})
    cuMemFree_v2(address);
  gpu.close();
}

TEST(CublasLtDouble, ARowMajorLeadingDimensionIsCaught) {
  auto run = [] {
    Gpu gpu;
    Product(2).run(gpu, gpu.allocate(96), gpu.allocate(64), gpu.allocate(48));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(kAlarm), "A has 3 rows and a leading dimension of 2");
}

TEST(CublasLtDouble, ABatchBeyondTheMemoryIsCaught) {
  auto run = [] {
    Gpu gpu;
    Product product;
    Product::batch(product.d, 7);
    product.run(gpu, gpu.allocate(96), gpu.allocate(64), gpu.allocate(48));
    cuStreamSynchronize(gpu.compute);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(kAlarm), "cublasLtMatmul, D of 52 bytes");
}

} // namespace
} // namespace froe::cuda
