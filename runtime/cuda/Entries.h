// The entry points of NVIDIA's libraries that Froe calls, declared here so that nothing needs CUDA's headers. The test
// doubles define exactly these; where the toolkit is installed, test/doubles/tests/HeadersTest.cpp compares every type,
// enum value and struct with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace froe::cuda {

// The driver (cuda.h).
using Address = unsigned long long; // CUdeviceptr
using Context = struct ContextHandle *;
using Stream = struct StreamHandle *;
using Event = struct EventHandle *;
using Module = struct ModuleHandle *;
using Function = struct FunctionHandle *;
using Graph = struct GraphHandle *;
using GraphExec = struct GraphExecHandle *;

enum DriverResult : int { // CUresult
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kStubLibrary = 34,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidProgramCounter = 718,
  kLaunchFailed = 719,
  kSystemDriverMismatch = 803,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
};

enum Attribute : int { // CUdevice_attribute
  kMaxSharedBytesPerBlock = 8,
  kMultiprocessors = 16,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
};

enum : unsigned {
  kEventDefault = 0,
  kStreamNonBlocking = 1,
  kEventDisableTiming = 2,
  kHostAllocPortable = 1,
};
struct Uuid { // CUuuid
  char bytes[16];
  bool operator==(const Uuid &) const = default;
};
enum CaptureMode : int { kCaptureThreadLocal = 1 };
enum MemoryType : unsigned { kHostMemory = 1, kDeviceMemory = 2 };

struct Copy2D { // CUDA_MEMCPY2D
  size_t sourceX, sourceY;
  MemoryType sourceType;
  const void *sourceHost;
  Address sourceDevice;
  void *sourceArray;
  size_t sourcePitch;
  size_t targetX, targetY;
  MemoryType targetType;
  void *targetHost;
  Address targetDevice;
  void *targetArray;
  size_t targetPitch;
  size_t widthBytes, height;
};

#define FROE_DRIVER_ENTRIES(X)                                                                                         \
  X(cuInit, (unsigned flags))                                                                                          \
  X(cuDriverGetVersion, (int *version))                                                                                \
  X(cuGetErrorName, (DriverResult result, const char **text))                                                          \
  X(cuGetErrorString, (DriverResult result, const char **text))                                                        \
  X(cuDeviceGetCount, (int *count))                                                                                    \
  X(cuDeviceGet, (int *device, int ordinal))                                                                           \
  X(cuDeviceGetName, (char *name, int size, int device))                                                               \
  X(cuDeviceGetUuid_v2, (Uuid * uuid, int device))                                                                     \
  X(cuDeviceGetAttribute, (int *value, Attribute attribute, int device))                                               \
  X(cuDevicePrimaryCtxRetain, (Context * context, int device))                                                         \
  X(cuDevicePrimaryCtxRelease_v2, (int device))                                                                        \
  X(cuCtxSetCurrent, (Context context))                                                                                \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                                                                    \
  X(cuMemAlloc_v2, (Address * address, size_t bytes))                                                                  \
  X(cuMemFree_v2, (Address address))                                                                                   \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                                     \
  X(cuMemFreeHost, (void *memory))                                                                                     \
  X(cuMemcpyHtoDAsync_v2, (Address to, const void *from, size_t bytes, Stream stream))                                 \
  X(cuMemcpyDtoHAsync_v2, (void *to, Address from, size_t bytes, Stream stream))                                       \
  X(cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Stream stream))                                     \
  X(cuMemcpy2DAsync_v2, (const Copy2D *copy, Stream stream))                                                           \
  X(cuMemsetD8Async, (Address to, unsigned char value, size_t count, Stream stream))                                   \
  X(cuMemsetD2D8Async, (Address to, size_t pitch, unsigned char value, size_t width, size_t height, Stream stream))    \
  X(cuStreamCreate, (Stream * stream, unsigned flags))                                                                 \
  X(cuStreamDestroy_v2, (Stream stream))                                                                               \
  X(cuStreamSynchronize, (Stream stream))                                                                              \
  X(cuStreamQuery, (Stream stream))                                                                                    \
  X(cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))                                                   \
  X(cuEventCreate, (Event * event, unsigned flags))                                                                    \
  X(cuEventRecord, (Event event, Stream stream))                                                                       \
  X(cuEventQuery, (Event event))                                                                                       \
  X(cuEventSynchronize, (Event event))                                                                                 \
  X(cuEventElapsedTime, (float *milliseconds, Event begin, Event end))                                                 \
  X(cuEventDestroy_v2, (Event event))                                                                                  \
  X(cuModuleLoadDataEx, (Module * module, const void *image, unsigned options, int *names, void **values))             \
  X(cuModuleUnload, (Module module))                                                                                   \
  X(cuModuleGetFunction, (Function * function, Module module, const char *name))                                       \
  X(cuFuncSetAttribute, (Function function, int attribute, int value))                                                 \
  X(cuLaunchKernel,                                                                                                    \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,              \
     unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters, void **extra))                           \
  X(cuLaunchHostFunc, (Stream stream, void (*function)(void *), void *argument))                                       \
  X(cuStreamBeginCapture_v2, (Stream stream, CaptureMode mode))                                                        \
  X(cuStreamEndCapture, (Stream stream, Graph * graph))                                                                \
  X(cuGraphInstantiateWithFlags, (GraphExec * exec, Graph graph, unsigned long long flags))                            \
  X(cuGraphLaunch, (GraphExec exec, Stream stream))                                                                    \
  X(cuGraphExecDestroy, (GraphExec exec))                                                                              \
  X(cuGraphDestroy, (Graph graph))

inline constexpr int kMaxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

// NCCL (nccl.h).
using Communicator = struct ncclComm *;

enum NcclResult : int { // ncclResult_t
  kNcclSuccess = 0,
  kNcclUnhandledCudaError = 1,
  kNcclSystemError = 2,
  kNcclInternalError = 3,
  kNcclInvalidArgument = 4,
  kNcclInvalidUsage = 5,
  kNcclRemoteError = 6,
  kNcclInProgress = 7,
};
enum NcclReduction : int { kNcclSum, kNcclProduct, kNcclMax, kNcclMin };
enum NcclType : int {
  kNcclI8 = 0,
  kNcclU8 = 1,
  kNcclI32 = 2,
  kNcclU32 = 3,
  kNcclI64 = 4,
  kNcclU64 = 5,
  kNcclF16 = 6,
  kNcclF32 = 7,
  kNcclF64 = 8,
  kNcclBF16 = 9,
};
struct UniqueId {
  char bytes[128];
};
/// The first fields of ncclConfig_t, as of the version that it names.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = kUndefined, cgaClusterSize = kUndefined, minCtas = kUndefined, maxCtas = kUndefined;
  const char *netName = nullptr;
  int splitShare = kUndefined;
  static constexpr int kUndefined = -2147483647 - 1;
};

#define FROE_NCCL_ENTRIES(X)                                                                                           \
  X(ncclGetVersion, (int *version))                                                                                    \
  X(ncclGetUniqueId, (UniqueId * id))                                                                                  \
  X(ncclCommInitRankConfig, (Communicator * communicator, int ranks, UniqueId id, int rank, NcclConfig *config))       \
  X(ncclCommSplit, (Communicator parent, int color, int key, Communicator *communicator, NcclConfig *config))          \
  X(ncclCommGetAsyncError, (Communicator communicator, NcclResult * error))                                            \
  X(ncclCommAbort, (Communicator communicator))                                                                        \
  X(ncclCommDestroy, (Communicator communicator))                                                                      \
  X(ncclCommCount, (const Communicator communicator, int *count))                                                      \
  X(ncclCommUserRank, (const Communicator communicator, int *rank))                                                    \
  X(ncclGroupStart, ())                                                                                                \
  X(ncclGroupEnd, ())                                                                                                  \
  X(ncclAllReduce, (const void *in, void *out, size_t count, NcclType type, NcclReduction reduction,                   \
                    Communicator communicator, Stream stream))                                                         \
  X(ncclReduceScatter, (const void *in, void *out, size_t count, NcclType type, NcclReduction reduction,               \
                        Communicator communicator, Stream stream))                                                     \
  X(ncclAllGather, (const void *in, void *out, size_t count, NcclType type, Communicator communicator, Stream stream)) \
  X(ncclBroadcast,                                                                                                     \
    (const void *in, void *out, size_t count, NcclType type, int root, Communicator communicator, Stream stream))      \
  X(ncclSend, (const void *in, size_t count, NcclType type, int peer, Communicator communicator, Stream stream))       \
  X(ncclRecv, (void *out, size_t count, NcclType type, int peer, Communicator communicator, Stream stream))

/// Of NCCL 2.19 and newer; without them memory is not registered.
#define FROE_NCCL_MEMORY_ENTRIES(X)                                                                                    \
  X(ncclMemAlloc, (void **memory, size_t bytes))                                                                       \
  X(ncclMemFree, (void *memory))                                                                                       \
  X(ncclCommRegister, (const Communicator communicator, void *memory, size_t bytes, void **registration))              \
  X(ncclCommDeregister, (const Communicator communicator, void *registration))

#define FROE_NCCL_TEXT_ENTRIES(X)                                                                                      \
  X(ncclGetErrorString, (NcclResult result))                                                                           \
  X(ncclGetLastError, (Communicator communicator))

// cuBLASLt (cublasLt.h).
using LtHandle = struct cublasLtContext *;
using LtMatmul = struct LtMatmulHandle *;
using LtLayout = struct LtLayoutHandle *;
using LtPreference = struct LtPreferenceHandle *;

enum LtResult : int { // cublasStatus_t
  kLtSuccess = 0,
  kLtNotInitialized = 1,
  kLtAllocFailed = 3,
  kLtInvalidValue = 7,
  kLtExecutionFailed = 13,
  kLtNotSupported = 15,
};
enum LtType : int { kLtF32 = 0, kLtF64 = 1, kLtF16 = 2, kLtBF16 = 14 };               // cudaDataType
enum LtCompute : int { kLtCompute32F = 68, kLtCompute64F = 70, kLtComputeTF32 = 77 }; // cublasComputeType_t
enum LtMatmulAttribute : int { kLtTransA = 3, kLtTransB = 4, kLtEpilogue = 7, kLtBiasPointer = 8, kLtBiasType = 26 };
enum LtLayoutAttribute : int { kLtBatchCount = 5, kLtBatchStride = 6 };
enum LtPreferenceAttribute : int { kLtMaxWorkspaceBytes = 1 };
enum LtEpilogue : int { kLtNone = 1, kLtRelu = 2, kLtBias = 4, kLtReluBias = 6, kLtGelu = 32, kLtGeluBias = 36 };
enum LtOperation : int { kLtPlain = 0, kLtTransposed = 1 };

struct LtAlgorithm {
  uint64_t data[8];
};
struct LtHeuristic { // cublasLtMatmulHeuristicResult_t
  LtAlgorithm algorithm;
  size_t workspaceBytes;
  LtResult state;
  float waves;
  int reserved[4];
};

#define FROE_CUBLASLT_ENTRIES(X)                                                                                       \
  X(cublasLtCreate, (LtHandle * handle))                                                                               \
  X(cublasLtDestroy, (LtHandle handle))                                                                                \
  X(cublasLtMatmulDescCreate, (LtMatmul * matmul, LtCompute compute, LtType scale))                                    \
  X(cublasLtMatmulDescDestroy, (LtMatmul matmul))                                                                      \
  X(cublasLtMatmulDescSetAttribute, (LtMatmul matmul, LtMatmulAttribute name, const void *value, size_t bytes))        \
  X(cublasLtMatrixLayoutCreate, (LtLayout * layout, LtType type, uint64_t rows, uint64_t columns, int64_t leading))    \
  X(cublasLtMatrixLayoutDestroy, (LtLayout layout))                                                                    \
  X(cublasLtMatrixLayoutSetAttribute, (LtLayout layout, LtLayoutAttribute name, const void *value, size_t bytes))      \
  X(cublasLtMatmulPreferenceCreate, (LtPreference * preference))                                                       \
  X(cublasLtMatmulPreferenceDestroy, (LtPreference preference))                                                        \
  X(cublasLtMatmulPreferenceSetAttribute,                                                                              \
    (LtPreference preference, LtPreferenceAttribute name, const void *value, size_t bytes))                            \
  X(cublasLtMatmulAlgoGetHeuristic, (LtHandle handle, LtMatmul matmul, LtLayout a, LtLayout b, LtLayout c, LtLayout d, \
                                     LtPreference preference, int requested, LtHeuristic *results, int *found))        \
  X(cublasLtMatmul,                                                                                                    \
    (LtHandle handle, LtMatmul matmul, const void *alpha, const void *a, LtLayout aLayout, const void *b,              \
     LtLayout bLayout, const void *beta, const void *c, LtLayout cLayout, void *d, LtLayout dLayout,                   \
     const LtAlgorithm *algorithm, void *workspace, size_t workspaceBytes, Stream stream))

} // namespace froe::cuda

// In doubles, `FROE_DOUBLE(Driver, cuInit, (unsigned flags))` begins the definition of an entry, whose type is checked.
namespace froe::cuda::types {
#define FROE_ENTRY_TYPE(name, parameters) using name = DriverResult parameters;
FROE_DRIVER_ENTRIES(FROE_ENTRY_TYPE)
#undef FROE_ENTRY_TYPE
#define FROE_ENTRY_TYPE(name, parameters) using name = NcclResult parameters;
FROE_NCCL_ENTRIES(FROE_ENTRY_TYPE)
FROE_NCCL_MEMORY_ENTRIES(FROE_ENTRY_TYPE)
#undef FROE_ENTRY_TYPE
#define FROE_ENTRY_TYPE(name, parameters) using name = const char *parameters;
FROE_NCCL_TEXT_ENTRIES(FROE_ENTRY_TYPE)
#undef FROE_ENTRY_TYPE
#define FROE_ENTRY_TYPE(name, parameters) using name = LtResult parameters;
FROE_CUBLASLT_ENTRIES(FROE_ENTRY_TYPE)
#undef FROE_ENTRY_TYPE
} // namespace froe::cuda::types
