// Ranks of one host that see each other's arenas: every buffer of a peer is read, or written, where it lies.
#pragma once

#include "runtime/comm/Transport.h"
#include "runtime/core/Control.h"

#include <cstddef>
#include <string>

struct froe_rt;

namespace froe::rt {

/// Each collective is: a barrier, so that all inputs are there; direct loads and stores; a barrier, so that nobody
/// overwrites what others still read. Sums are taken in the order of ranks, each element by one rank, so that all
/// copies are equal bit for bit.
class ShmTransport final : public Transport {
public:
  /// `rt` has its mesh, rank, control memory, arena and pool; it must outlive this.
  explicit ShmTransport(froe_rt &rt);

  void barrier() override;
  int64_t allReduce(const Group &group, froe_reduce reduce, froe_type type, int64_t count, const void *in,
                    void *out) override;
  int64_t allGather(const Group &group, froe_type type, const Cut &cut, const void *in, void *out) override;
  int64_t reduceScatter(const Group &group, froe_reduce reduce, froe_type type, const Cut &cut, const void *in,
                        void *out) override;
  int64_t allToAll(const Group &group, froe_type type, const Exchange &exchange, const void *in, void *out) override;

private:
  void barrier(const Group &group) { barrier(group.axes, group.ordered.front(), group.size()); }
  void barrier(uint32_t axes, int first, int size);
  /// Where `rank` has what this rank has at `mine`.
  std::byte *peer(int rank, const void *mine) const;
  /// "rank 1, rank 3": those that have not come as far as this one.
  std::string laggards() const;
  /// Ends this rank if the run failed or this wait took too long.
  void checkWait(int64_t begin);

  froe_rt &rt;
};

} // namespace froe::rt
