// Every declaration in Entries.h against the headers of an installed CUDA toolkit, when compiling.
#include "runtime/cuda/Entries.h"

#include <cublasLt.h>
#include <cuda.h>
#include <gtest/gtest.h>
#include <nccl.h>

// Newer headers rename this one; drivers export it under both names.
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
extern "C" decltype(cuEventElapsedTime_v2) cuEventElapsedTime;
#endif

namespace froe::cuda {
namespace {

/// Whether a value of either type is passed in the same way: handles are pointers, enums and integers go by size.
template <class Ours, class Theirs> constexpr bool passedAlike() {
  auto kind = []<class T>(std::type_identity<T>) {
    return std::is_pointer_v<T> ? 0 : std::is_floating_point_v<T> ? 1 : std::is_class_v<T> ? 2 : 3;
  };
  return sizeof(Ours) == sizeof(Theirs) && kind(std::type_identity<Ours>()) == kind(std::type_identity<Theirs>());
}

template <class Ours, class Theirs> struct SameCall : std::false_type {};
template <class R1, class... A1, class R2, class... A2>
  requires(sizeof...(A1) == sizeof...(A2))
struct SameCall<R1(A1...), R2(A2...)> : std::bool_constant<passedAlike<R1, R2>() && (passedAlike<A1, A2>() && ...)> {};

#define FROE_SAME(name, parameters) static_assert(SameCall<types::name, decltype(::name)>::value, #name);
FROE_DRIVER_ENTRIES(FROE_SAME)
FROE_NCCL_ENTRIES(FROE_SAME)
FROE_NCCL_MEMORY_ENTRIES(FROE_SAME)
FROE_NCCL_TEXT_ENTRIES(FROE_SAME)
FROE_CUBLASLT_ENTRIES(FROE_SAME)

#define FROE_VALUE(ours, theirs) static_assert(int(ours) == int(theirs), #theirs)
FROE_VALUE(kSuccess, CUDA_SUCCESS);
FROE_VALUE(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
FROE_VALUE(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
FROE_VALUE(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
FROE_VALUE(kStubLibrary, CUDA_ERROR_STUB_LIBRARY);
FROE_VALUE(kNoDevice, CUDA_ERROR_NO_DEVICE);
FROE_VALUE(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
FROE_VALUE(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
FROE_VALUE(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
FROE_VALUE(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
FROE_VALUE(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
FROE_VALUE(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
FROE_VALUE(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
FROE_VALUE(kNotFound, CUDA_ERROR_NOT_FOUND);
FROE_VALUE(kNotReady, CUDA_ERROR_NOT_READY);
FROE_VALUE(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
FROE_VALUE(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
FROE_VALUE(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
FROE_VALUE(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
FROE_VALUE(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
FROE_VALUE(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
FROE_VALUE(kInvalidProgramCounter, CUDA_ERROR_INVALID_PC);
FROE_VALUE(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
FROE_VALUE(kSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
FROE_VALUE(kCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
FROE_VALUE(kCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
FROE_VALUE(kMaxSharedBytesPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
FROE_VALUE(kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
FROE_VALUE(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
FROE_VALUE(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
FROE_VALUE(kEventDefault, CU_EVENT_DEFAULT);
FROE_VALUE(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
FROE_VALUE(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
FROE_VALUE(kHostAllocPortable, CU_MEMHOSTALLOC_PORTABLE);
FROE_VALUE(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
FROE_VALUE(kHostMemory, CU_MEMORYTYPE_HOST);
FROE_VALUE(kDeviceMemory, CU_MEMORYTYPE_DEVICE);
FROE_VALUE(kMaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
FROE_VALUE(kNcclSuccess, ncclSuccess);
FROE_VALUE(kNcclUnhandledCudaError, ncclUnhandledCudaError);
FROE_VALUE(kNcclSystemError, ncclSystemError);
FROE_VALUE(kNcclInternalError, ncclInternalError);
FROE_VALUE(kNcclInvalidArgument, ncclInvalidArgument);
FROE_VALUE(kNcclInvalidUsage, ncclInvalidUsage);
FROE_VALUE(kNcclRemoteError, ncclRemoteError);
FROE_VALUE(kNcclInProgress, ncclInProgress);
FROE_VALUE(kNcclSum, ncclSum);
FROE_VALUE(kNcclProduct, ncclProd);
FROE_VALUE(kNcclMax, ncclMax);
FROE_VALUE(kNcclMin, ncclMin);
FROE_VALUE(kNcclI8, ncclInt8);
FROE_VALUE(kNcclU8, ncclUint8);
FROE_VALUE(kNcclI32, ncclInt32);
FROE_VALUE(kNcclU32, ncclUint32);
FROE_VALUE(kNcclI64, ncclInt64);
FROE_VALUE(kNcclU64, ncclUint64);
FROE_VALUE(kNcclF16, ncclFloat16);
FROE_VALUE(kNcclF32, ncclFloat32);
FROE_VALUE(kNcclF64, ncclFloat64);
FROE_VALUE(kNcclBF16, ncclBfloat16);
FROE_VALUE(NcclConfig::kUndefined, NCCL_CONFIG_UNDEF_INT);
FROE_VALUE(kLtSuccess, CUBLAS_STATUS_SUCCESS);
FROE_VALUE(kLtNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
FROE_VALUE(kLtAllocFailed, CUBLAS_STATUS_ALLOC_FAILED);
FROE_VALUE(kLtInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
FROE_VALUE(kLtExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
FROE_VALUE(kLtNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
FROE_VALUE(kLtF32, CUDA_R_32F);
FROE_VALUE(kLtF64, CUDA_R_64F);
FROE_VALUE(kLtF16, CUDA_R_16F);
FROE_VALUE(kLtBF16, CUDA_R_16BF);
FROE_VALUE(kLtCompute32F, CUBLAS_COMPUTE_32F);
FROE_VALUE(kLtCompute64F, CUBLAS_COMPUTE_64F);
FROE_VALUE(kLtComputeTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
FROE_VALUE(kLtTransA, CUBLASLT_MATMUL_DESC_TRANSA);
FROE_VALUE(kLtTransB, CUBLASLT_MATMUL_DESC_TRANSB);
FROE_VALUE(kLtEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
FROE_VALUE(kLtBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
FROE_VALUE(kLtBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
FROE_VALUE(kLtBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
FROE_VALUE(kLtBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
FROE_VALUE(kLtMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
FROE_VALUE(kLtNone, CUBLASLT_EPILOGUE_DEFAULT);
FROE_VALUE(kLtRelu, CUBLASLT_EPILOGUE_RELU);
FROE_VALUE(kLtBias, CUBLASLT_EPILOGUE_BIAS);
FROE_VALUE(kLtReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
FROE_VALUE(kLtGelu, CUBLASLT_EPILOGUE_GELU);
FROE_VALUE(kLtGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
FROE_VALUE(kLtPlain, CUBLAS_OP_N);
FROE_VALUE(kLtTransposed, CUBLAS_OP_T);

#define FROE_FIELD(Ours, ours, Theirs, theirs) static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs), #theirs)
static_assert(sizeof(Copy2D) == sizeof(CUDA_MEMCPY2D));
FROE_FIELD(Copy2D, sourceY, CUDA_MEMCPY2D, srcY);
FROE_FIELD(Copy2D, sourceType, CUDA_MEMCPY2D, srcMemoryType);
FROE_FIELD(Copy2D, sourceHost, CUDA_MEMCPY2D, srcHost);
FROE_FIELD(Copy2D, sourceDevice, CUDA_MEMCPY2D, srcDevice);
FROE_FIELD(Copy2D, sourcePitch, CUDA_MEMCPY2D, srcPitch);
FROE_FIELD(Copy2D, targetX, CUDA_MEMCPY2D, dstXInBytes);
FROE_FIELD(Copy2D, targetType, CUDA_MEMCPY2D, dstMemoryType);
FROE_FIELD(Copy2D, targetHost, CUDA_MEMCPY2D, dstHost);
FROE_FIELD(Copy2D, targetDevice, CUDA_MEMCPY2D, dstDevice);
FROE_FIELD(Copy2D, targetPitch, CUDA_MEMCPY2D, dstPitch);
FROE_FIELD(Copy2D, widthBytes, CUDA_MEMCPY2D, WidthInBytes);
FROE_FIELD(Copy2D, height, CUDA_MEMCPY2D, Height);
static_assert(sizeof(Uuid) == sizeof(CUuuid));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
FROE_FIELD(NcclConfig, magic, ncclConfig_t, magic);
FROE_FIELD(NcclConfig, version, ncclConfig_t, version);
FROE_FIELD(NcclConfig, blocking, ncclConfig_t, blocking);
FROE_FIELD(NcclConfig, netName, ncclConfig_t, netName);
FROE_FIELD(NcclConfig, splitShare, ncclConfig_t, splitShare);
static_assert(sizeof(LtHeuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
FROE_FIELD(LtHeuristic, workspaceBytes, cublasLtMatmulHeuristicResult_t, workspaceSize);
FROE_FIELD(LtHeuristic, state, cublasLtMatmulHeuristicResult_t, state);
FROE_FIELD(LtHeuristic, waves, cublasLtMatmulHeuristicResult_t, wavesCount);

TEST(Headers, DeclareWhatWeDeclare) { EXPECT_EQ(NcclConfig().magic, 0xcafebeefu); }

} // namespace
} // namespace froe::cuda
