// The plug-in with a fault in it: this library stands between the plug-in and the doubles, and makes one of its calls
// wrong, as FROE_SEEDED names it. FROE_LIBCUDA, FROE_LIBNCCL and FROE_LIBCUBLASLT name this file; what is not defined
// here is found in the doubles, which it is linked with.
#include "runtime/cuda/Entries.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace froe::cuda;

namespace {

bool seeded(std::string_view fault) {
  static const char *name = std::getenv("FROE_SEEDED");
  return name && fault == name;
}

template <class Entry> Entry *next(const char *name) { return reinterpret_cast<Entry *>(dlsym(RTLD_NEXT, name)); }
#define NEXT(name) next<types::name>(#name)

std::vector<Stream> streams; // in the order in which the plug-in makes them: computation, communication, copies
std::vector<Address> allocations;
std::vector<Communicator> communicators;

/// A stream that is behind with its work.
Stream busy(Stream stream) {
  NEXT(cuLaunchHostFunc)(stream, [](void *) { usleep(1000); }, nullptr);
  return stream;
}

Stream otherStream(Stream stream) { return stream == streams[0] ? streams[1] : streams[0]; }

} // namespace

extern "C" {

// Streams and events.
DriverResult cuStreamCreate(Stream *stream, unsigned flags) {
  DriverResult result = NEXT(cuStreamCreate)(stream, flags);
  streams.push_back(*stream);
  return result;
}
DriverResult cuStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  bool isEnd = stream == streams[0]; // computation waits for communication
  if (seeded(isEnd ? "no event behind a collective" : "no event before a collective"))
    return kSuccess;
  return NEXT(cuStreamWaitEvent)(stream, event, flags);
}
DriverResult cuEventRecord(Event event, Stream stream) {
  if (seeded("event on the wrong stream"))
    stream = otherStream(stream);
  return seeded("event not recorded") ? kSuccess : NEXT(cuEventRecord)(event, stream);
}
DriverResult cuEventDestroy_v2(Event event) {
  return seeded("event leaked") ? kSuccess : NEXT(cuEventDestroy_v2)(event);
}
DriverResult cuStreamQuery(Stream stream) {
  return seeded("results taken too early") ? kSuccess : NEXT(cuStreamQuery)(stream);
}

// Memory.
DriverResult cuMemAlloc_v2(Address *address, size_t bytes) {
  DriverResult result = NEXT(cuMemAlloc_v2)(address, seeded("allocation too small") && bytes > 4 ? bytes - 4 : bytes);
  allocations.push_back(*address);
  return result;
}
DriverResult cuMemFree_v2(Address address) {
  if (seeded("memory leaked"))
    return kSuccess;
  if (seeded("memory freed twice"))
    NEXT(cuMemFree_v2)(address);
  return NEXT(cuMemFree_v2)(address);
}
DriverResult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  if (!seeded("pageable memory"))
    return NEXT(cuMemHostAlloc)(memory, bytes, flags);
  *memory = std::malloc(bytes);
  return kSuccess;
}
DriverResult cuMemFreeHost(void *memory) {
  return seeded("pinned memory leaked") ? kSuccess : NEXT(cuMemFreeHost)(memory);
}
DriverResult cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t count, Stream stream) {
  if (seeded("upload on the wrong stream"))
    stream = busy(streams[1]);
  return NEXT(cuMemcpyHtoDAsync_v2)(to, from, seeded("short upload") ? count - 4 : count, stream);
}
DriverResult cuMemcpyDtoHAsync_v2(void *to, Address from, size_t count, Stream stream) {
  return NEXT(cuMemcpyDtoHAsync_v2)(to, from, seeded("long download") ? count + 4 : count, stream);
}
DriverResult cuMemcpyDtoDAsync_v2(Address to, Address from, size_t count, Stream stream) {
  return NEXT(cuMemcpyDtoDAsync_v2)(to, from, seeded("short copy") ? count - 4 : count, stream);
}
DriverResult cuMemsetD8Async(Address to, unsigned char value, size_t count, Stream stream) {
  return seeded("faults not cleared") ? kSuccess : NEXT(cuMemsetD8Async)(to, value, count, stream);
}

// Kernels.
DriverResult cuLaunchKernel(Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                            unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters,
                            void **extra) {
  void *swapped[] = {parameters[1], parameters[0], parameters[2], parameters[3]};
  bool isProgram = blockX == 32; // the program's kernel, not one of the runtime's
  if (isProgram && seeded("parameters swapped"))
    parameters = swapped;
  if (isProgram && seeded("wrong grid"))
    ++gridX;
  if (isProgram && seeded("wrong block"))
    blockX = 64;
  if (isProgram && seeded("kernel on the wrong stream"))
    stream = busy(streams[2]);
  if (isProgram && seeded("kernel not launched"))
    return kSuccess;
  return NEXT(cuLaunchKernel)(function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, parameters,
                              extra);
}

// Recorded executions.
DriverResult cuGraphLaunch(GraphExec exec, Stream stream) {
  static bool freed = false;
  if (seeded("replay with a stale pointer") && !std::exchange(freed, true)) // the program's constants
    NEXT(cuMemFree_v2)(allocations[0]);
  return NEXT(cuGraphLaunch)(exec, seeded("replay on the wrong stream") ? busy(streams[2]) : stream);
}
DriverResult cuGraphExecDestroy(GraphExec exec) {
  return seeded("recorded execution leaked") ? kSuccess : NEXT(cuGraphExecDestroy)(exec);
}
DriverResult cuModuleUnload(Module module) { return seeded("module leaked") ? kSuccess : NEXT(cuModuleUnload)(module); }
DriverResult cuStreamEndCapture(Stream stream, Graph *graph) {
  if (seeded("waits while recording"))
    NEXT(cuStreamSynchronize)(stream);
  return NEXT(cuStreamEndCapture)(stream, graph);
}

// Collectives.
NcclResult ncclCommInitRankConfig(Communicator *communicator, int ranks, UniqueId id, int rank, NcclConfig *config) {
  if (seeded("wrong rank in a communicator"))
    rank = 0;
  NcclResult result = NEXT(ncclCommInitRankConfig)(communicator, ranks, id, rank, config);
  communicators.push_back(*communicator);
  return result;
}
NcclResult ncclAllGather(const void *in, void *out, size_t count, NcclType type, Communicator communicator,
                         Stream stream) {
  if (seeded("collective missing"))
    return kNcclSuccess;
  if (seeded("collective of another size"))
    count -= 4;
  if (seeded("collective of another type"))
    type = kNcclI8;
  if (seeded("communicators swapped"))
    communicator = communicators[0];
  if (seeded("collective on the wrong stream"))
    stream = streams[0];
  return NEXT(ncclAllGather)(in, out, count, type, communicator, stream);
}
NcclResult ncclSend(const void *in, size_t count, NcclType type, int peer, Communicator communicator, Stream stream) {
  return NEXT(ncclSend)(in, seeded("send of another size") ? count - 4 : count, type,
                        seeded("send to the wrong rank") ? 1 - peer : peer, communicator, stream);
}
NcclResult ncclCommDestroy(Communicator communicator) {
  return seeded("communicator leaked") ? kNcclSuccess : NEXT(ncclCommDestroy)(communicator);
}
NcclResult ncclCommDeregister(const Communicator communicator, void *registration) {
  return seeded("memory stays registered") ? kNcclSuccess : NEXT(ncclCommDeregister)(communicator, registration);
}

// Products.
LtResult cublasLtMatrixLayoutCreate(LtLayout *layout, LtType type, uint64_t rows, uint64_t columns, int64_t leading) {
  if (seeded("matrix taken for its transpose"))
    std::swap(rows, columns);
  return NEXT(cublasLtMatrixLayoutCreate)(layout, type, rows, columns,
                                          seeded("rows too long") ? leading + 64 : leading);
}
LtResult cublasLtMatmul(LtHandle handle, LtMatmul matmul, const void *alpha, const void *a, LtLayout aLayout,
                        const void *b, LtLayout bLayout, const void *beta, const void *c, LtLayout cLayout, void *d,
                        LtLayout dLayout, const LtAlgorithm *algorithm, void *workspace, size_t workspaceBytes,
                        Stream stream) {
  if (seeded("product on the wrong stream"))
    stream = busy(streams[2]);
  if (seeded("factors swapped"))
    std::swap(a, b);
  return NEXT(cublasLtMatmul)(handle, matmul, alpha, a, aLayout, b, bLayout, beta, c, cLayout, d, dLayout, algorithm,
                              workspace, workspaceBytes, stream);
}

} // extern "C"
