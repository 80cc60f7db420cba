/* What a device plug-in is to the runtime: a C table of functions, so that a program and a plug-in need not come from
 * one build. A plug-in is a shared object that defines `froe_device_api_v1`.
 *
 * Work is asynchronous: a call puts it into the device's queue, `finish` waits. Nothing returns an error: a device
 * whose work fails writes down why, lets go of the ranks that wait for it, and ends its process.
 */
#ifndef FROE_DEVICE_H
#define FROE_DEVICE_H

#include "froe_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FROE_DEVICE_ABI_VERSION 3
#define FROE_EXCHANGE_BYTES 256

/* One rank's device. */
typedef struct froe_device froe_device;

/* What a device asks of its rank; stays valid as long as the device is open. */
typedef struct {
  uint32_t abi;
  const froe_program *program;
  int32_t rank, rank_count;
  int32_t graph;               /* 1: record an execution and play it again */
  int32_t trace;               /* 1: tell when each step ran */
  int64_t timeout_nanoseconds; /* until waiting for others is an error */
  void *context;
  /* The bytes of a weight, mapped from the rank's file, and how they are packed ("plain"). */
  const void *(*weight)(void *context, int32_t index, const char **packing);
  /* Writes down why the run ends, unless another rank has done so; exit codes are those of `froe run`. */
  void (*fail)(void *context, int32_t exit_code, const char *message);
  /* The same for a fault (froe_fault) that a kernel of a step raised. */
  void (*fault)(void *context, int32_t step, int32_t fault);
  /* The same where step `step` (-1: none is known) did not end in time. */
  void (*hang)(void *context, int32_t step, double seconds);
  /* Whether another rank failed, and wrote that down; asked while waiting. */
  int32_t (*failed)(void *context);
  /* If `trace`: a step ran on the device from `begin` to `end`, in nanoseconds of CLOCK_MONOTONIC. */
  void (*ran)(void *context, int32_t step, int64_t begin, int64_t end);
  /* Every rank's `bytes` (at most FROE_EXCHANGE_BYTES) to every rank: all[rank * bytes]. */
  void (*exchange)(void *context, const void *mine, void *all, uint64_t bytes);
} froe_device_host;

/* The ranks of a collective by position, i.e. by the block that each holds. */
typedef struct {
  int32_t size, position;
  const int32_t *members;
} froe_group;

typedef struct {
  uint32_t abi; /* FROE_DEVICE_ABI_VERSION */
  froe_device *(*open)(const froe_device_host *host);
  void (*close)(froe_device *device);

  void *(*arena)(froe_device *device);
  const void *(*weight)(froe_device *device, int32_t index);
  const void *(*constant)(froe_device *device, int32_t index);

  /* Calls `run` once without effect, to learn what it needs, and makes it. */
  void (*prepare)(froe_device *device, void (*run)(void *), void *argument);
  /* One execution, by `run` or by what was recorded of an earlier call. */
  void (*execute)(froe_device *device, void (*run)(void *), void *argument);
  /* Waits for all work, and ends the run if a kernel raised a fault. */
  void (*finish)(froe_device *device);

  /* Host memory from which, or into which, the block at `offset` of the arena is copied; the same for every call. */
  void *(*staging)(froe_device *device, uint64_t offset, uint64_t bytes);
  void (*upload)(froe_device *device, uint64_t offset, uint64_t bytes);
  void (*download)(froe_device *device, uint64_t offset, uint64_t bytes);

  /* Around the calls of each step. */
  void (*begin_step)(froe_device *device, int32_t step);
  void (*end_step)(froe_device *device);
  /* Steps; as the functions of froe_rt.h. Collectives return how many bytes other ranks receive from this one. */
  void (*launch)(froe_device *device, int32_t step, int32_t kernel, int64_t grid, void *const *buffers);
  void (*matmul)(froe_device *device, int32_t step, const froe_matmul *matmul, void *const *buffers);
  int64_t (*all_reduce)(froe_device *device, int32_t step, const froe_group *group, int32_t reduce, int32_t type,
                        int64_t count, const void *in, void *out);
  int64_t (*all_gather)(froe_device *device, int32_t step, const froe_group *group, int32_t type, int64_t outer,
                        int64_t size, int64_t inner, const void *in, void *out);
  int64_t (*reduce_scatter)(froe_device *device, int32_t step, const froe_group *group, int32_t reduce, int32_t type,
                            int64_t outer, int64_t size, int64_t inner, const void *in, void *out);
  int64_t (*all_to_all)(froe_device *device, int32_t step, const froe_group *group, int32_t type, int32_t gathers_first,
                        int64_t outer, int64_t first, int64_t middle, int64_t second, int64_t inner, const void *in,
                        void *out);
  /* Steps from here on begin when the collective of step `step` is complete; its record says `waited`. */
  void (*wait_for)(froe_device *device, int32_t step);
  /* Of [outer][size][inner] the elements [begin, begin + valid), as [outer][block][inner] with zeros behind. */
  void (*slice)(froe_device *device, int32_t type, int64_t outer, int64_t size, int64_t begin, int64_t valid,
                int64_t block, int64_t inner, const void *in, void *out);
  /* [outer][block][inner]: what lies behind `valid` becomes `*neutral`. */
  void (*mask)(froe_device *device, int32_t type, int64_t outer, int64_t block, int64_t valid, int64_t inner,
               const void *neutral, const void *in, void *out);
} froe_device_api;

const froe_device_api *froe_device_api_v1(void);

#ifdef __cplusplus
}
#endif
#endif
