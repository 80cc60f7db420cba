/* Runs kernels' twins (froe-opt --gpu-to-host) as a GPU would, without one: the threads of a block are fibers.
 *
 * Reported are barriers, shuffles and products that not all threads reach, reads and writes of shared memory that are
 * out of its bounds, uninitialised, or not separated by a barrier. */
#ifndef FROE_SIMT_H
#define FROE_SIMT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread of a kernel: `params` as cuLaunchKernel gets them, pointers to the parameters. */
typedef void (*simt_thread)(void **params);

/* Runs all blocks, one after the other. 0, or 1 with a message that names the kernel. */
int simt_launch(const char *name, simt_thread thread, void **params, const uint32_t grid[3], const uint32_t block[3],
                char *error, size_t error_bytes);

/* The buffers of global memory that kernels may touch from now on; none: accesses are not looked at. */
typedef struct {
  const void *begin;
  size_t bytes;
  int writable;
} simt_range;
void simt_set_ranges(const simt_range *ranges, int count);

/* Called before each access to global memory, if set. */
extern void (*simt_check_global)(const void *address, size_t bytes, int is_store);

/* What twins call. `site` is the number of the operation in its kernel. */
int64_t simt_thread_id(int32_t dim);
int64_t simt_block_id(int32_t dim);
void simt_barrier(int32_t site);
/* The value of the thread whose number in its warp differs in the bits of `distance`. */
int32_t simt_shuffle_xor(int32_t value, int32_t distance, int32_t site);
/* mma.sync.m16n8k16 of f16 or bf16 in f32: the thread's words of the left and the right factor, its four addends;
 * `sums` gets its four sums. */
void simt_mma(int32_t a0, int32_t a1, int32_t a2, int32_t a3, int32_t b0, int32_t b1, float c0, float c1, float c2,
              float c3, int32_t is_bf16, float *sums, int32_t site);
/* Where `bytes` at `offset` of array `slot` of the block's shared memory are. */
void *simt_shared(int32_t slot, int64_t size, int64_t offset, int32_t bytes, int32_t is_store);
void simt_global(const void *address, int64_t bytes, int32_t is_store);

#ifdef __cplusplus
}
#endif
#endif
