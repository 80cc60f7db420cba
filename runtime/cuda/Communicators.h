// The ranks of each set of mesh axes as an NCCL communicator, and froe_rt.h's collectives on top of them.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <functional>

namespace froe::cuda {

/// A collective's ranks, as NCCL numbers them: by ascending rank, the order in which terms are summed.
struct Group {
  std::vector<int32_t> orderOf; // by position
  int32_t size = 1, order = 0, position = 0;
  Communicator communicator = nullptr; // null if there is one rank only
};

class Communicators {
public:
  explicit Communicators(Gpu &gpu);
  ~Communicators();

  /// Splits the group's communicator off the first time that it is asked for, which happens in the same order on all
  /// ranks: that of the program's steps.
  Group group(const froe_group &group);
  /// Bytes between ranks, all at once: `sends` and `receives` say address and length by NCCL's rank.
  using Part = std::pair<Address, size_t>;
  void exchange(const Group &group, const std::vector<Part> &sends, const std::vector<Part> &receives);

  void allReduce(const Group &group, Address in, Address out, size_t count, NcclType type, NcclReduction reduction);
  void reduceScatter(const Group &group, Address in, Address out, size_t count, NcclType type, NcclReduction reduction);
  void allGather(const Group &group, Address in, Address out, size_t bytes);

  /// Ends the run if a communicator reports an error.
  void look();

private:
  void makeWorld();
  void split(Communicator &part, int color);
  void registerArena(Communicator communicator);
  void settle(NcclResult result, Communicator communicator, const char *what);
  void abort();
  [[noreturn]] void fail(NcclResult result, const char *what);

  Gpu &gpu;
  std::optional<NcclLibrary> nccl;
  Communicator world = nullptr;
  bool registers = false;                             // the arena with every communicator
  std::map<std::vector<int32_t>, Communicator> parts; // by members, ascending; some are `world`
  std::vector<std::pair<Communicator, void *>> registrations;
};

/// The collectives of froe_rt.h; buffers are addresses of the device. Each returns the bytes that others receive.
class Collectives {
public:
  explicit Collectives(Gpu &gpu) : gpu(gpu), communicators(gpu) {}

  int64_t allReduce(int32_t step, const froe_group &ranks, froe_reduce reduce, froe_type type, int64_t count,
                    Address in, Address out);
  int64_t allGather(int32_t step, const froe_group &ranks, froe_type type, int64_t outer, int64_t size, int64_t inner,
                    Address in, Address out);
  int64_t reduceScatter(int32_t step, const froe_group &ranks, froe_reduce reduce, froe_type type, int64_t outer,
                        int64_t size, int64_t inner, Address in, Address out);
  int64_t allToAll(int32_t step, const froe_group &ranks, froe_type type, bool gathersFirst, int64_t outer,
                   int64_t first, int64_t middle, int64_t second, int64_t inner, Address in, Address out);

private:
  void reduceTerms(const Group &group, froe_reduce reduce, froe_type type, Address terms, int64_t stride, int64_t count,
                   Address out);

  Gpu &gpu;
  Communicators communicators;
};

} // namespace froe::cuda
