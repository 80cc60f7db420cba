/* The contract between emitted programs and the runtime, and the only one.
 *
 * A compiled program is one object file that defines `froe_program_main` (constant data and the function `run`). Linked
 * with the runtime it is an executable that every rank starts. `run` is a straight line of steps: each calls one
 * function below, which does the work of that step on this rank, or waits for the other ranks.
 *
 * Every rank has one arena of `arena_bytes`; buffers are places in it, at offsets that are equal on all ranks, aligned
 * to 64 bytes. All ranks pass the same sequence of collectives. Pointers given to collectives point into the arena.
 * Sizes and strides are in elements unless a name says bytes. Nothing here returns an error: what fails (a rank died, a
 * kernel raised a fault, collectives do not match) ends the rank with a message that names rank and step.
 */
#ifndef FROE_RT_H
#define FROE_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FROE_RT_ABI_VERSION 4
#define FROE_MAX_AXES 4  /* of a mesh */
#define FROE_MAX_BATCH 6 /* batch dims of a matrix product */
#define FROE_MAX_POSTS 8 /* operations fused behind one */

typedef enum {
  FROE_F32,
  FROE_F64,
  FROE_F16,
  FROE_BF16,
  FROE_I8,
  FROE_I16,
  FROE_I32,
  FROE_I64,
  FROE_U8,
  FROE_U16,
  FROE_U32,
  FROE_U64,
  FROE_BOOL /* one byte, 0 or 1 */
} froe_type;

typedef enum { FROE_SUM, FROE_PRODUCT, FROE_MAX, FROE_MIN, FROE_AND, FROE_OR } froe_reduce;

/* One rank of a running program. */
typedef struct froe_rt froe_rt;

/* Mesh axes, the major one first. A collective over them joins the ranks that differ only along these axes. */
typedef struct {
  int32_t count;
  int32_t axes[FROE_MAX_AXES];
} froe_axes;

/* An input or output: a global tensor, cut over the mesh. Dim d is cut by `cuts[d]` into blocks of ceil(shape[d] /
 * blocks); every rank stores a full block, the valid part of which it reads from, or writes to, the global tensor. */
typedef struct {
  const char *name;
  int32_t type;
  int32_t rank;
  const int64_t *shape;  /* [rank], global */
  const froe_axes *cuts; /* [rank] */
  uint64_t offset;       /* of this rank's block, in the arena, in bytes */
} froe_port;

/* A weight of this rank, found by name in its safetensors file. */
typedef struct {
  const char *name;
  int32_t type;
  int32_t rank;
  const int64_t *shape; /* [rank], this rank's block */
  uint64_t bytes;
} froe_weight;

/* Of one step, what messages and traces say. */
typedef struct {
  const char *name; /* the ONNX node (the last one, where several are fused) */
  const char *what; /* the kernel or collective, e.g. "matmul", "all_reduce", "softmax_3" */
  int32_t waited;   /* 1: a collective that may go on beside the steps behind it, until froe_rt_wait */
} froe_step;

typedef enum { FROE_CPU, FROE_CUDA } froe_device_kind;

#define FROE_OLDEST_ARCH 80 /* of CUDA devices: sm_80, for which the runtime's own kernels are made */

/* Kernels of a program for CUDA devices: all of them, for one architecture. */
typedef struct {
  const char *arch; /* "sm_80": a cubin; "compute_90": PTX, which newer devices compile, with a zero behind */
  const void *data;
  uint64_t bytes;
} froe_image;

/* One kernel of every image. It takes the addresses of its buffers, and last that of a uint32_t into which it combines
 * its faults with an atomic or. */
typedef struct {
  const char *name;
  int32_t block;        /* threads, in x */
  int32_t shared_bytes; /* dynamic ones */
  int32_t buffer_count;
} froe_device_kernel;

/* A constant that lives in the device's memory, aligned to 64 bytes. */
typedef struct {
  const void *data;
  uint64_t bytes;
} froe_constant;

typedef struct {
  uint32_t abi;          /* FROE_RT_ABI_VERSION */
  const char *plan_hash; /* equal to the manifest's */
  int32_t mesh_rank;
  int64_t mesh[FROE_MAX_AXES]; /* sizes; ranks are numbered row-major */
  uint64_t arena_bytes;
  int32_t input_count;
  const froe_port *inputs;
  int32_t output_count;
  const froe_port *outputs;
  int32_t weight_count;
  const froe_weight *weights;
  int32_t step_count;
  const froe_step *steps;
  void (*run)(froe_rt *rt); /* one execution: inputs' blocks are in the arena before, outputs' blocks after */
  /* Of a program for devices; all zero for the CPU. There `run` only says what is to be done, and is called once
   * without effect, so that memory and communicators are made before anything runs; it must not look at device memory.
   */
  int32_t device; /* froe_device_kind */
  int32_t image_count;
  const froe_image *images;
  int32_t kernel_count;
  const froe_device_kernel *kernels;
  int32_t constant_count;
  const froe_constant *constants;
} froe_program;

/* Defined by the emitted object. */
extern const froe_program froe_program_main;

/* Memory. */
void *froe_rt_arena(froe_rt *rt);
const void *froe_rt_weight(froe_rt *rt, int32_t index);
const void *froe_rt_constant(froe_rt *rt, int32_t index);

/* Generated kernels. `buffers` are the operands in the kernel's own order; it computes [begin, end) of its outermost
 * parallel dim. Returns 0, or a fault. */
typedef enum { FROE_FAULT_NONE, FROE_FAULT_INDEX, FROE_FAULT_DIVISION } froe_fault;
typedef int32_t (*froe_kernel)(void *const *buffers, int64_t begin, int64_t end);

/* Runs `kernel` over [0, extent), cut into pieces over the threads of the rank; no piece is smaller than `grain`. */
void froe_rt_kernel(froe_rt *rt, int32_t step, froe_kernel kernel, void *const *buffers, int64_t extent, int64_t grain);

/* Launches kernel `kernel` of the program's table with `grid` blocks in x; programs for devices only, as the function
 * above is for the CPU only. */
void froe_rt_launch(froe_rt *rt, int32_t step, int32_t kernel, int64_t grid, void *const *buffers);

/* What is done to an element of a matrix product before it is stored, in order. */
typedef enum {
  FROE_POST_SCALE, /* c * value */
  FROE_POST_ADD,   /* c + operand, which is broadcast where a stride is 0 (a bias: only n_stride is not 0) */
  FROE_POST_MUL,   /* c * operand */
  FROE_POST_RELU,
  FROE_POST_GELU_ERF,
  FROE_POST_GELU_TANH,
  FROE_POST_SILU,
  FROE_POST_TANH,
  FROE_POST_SIGMOID
} froe_post_kind;

typedef struct {
  int32_t kind;
  int32_t buffer; /* ADD, MUL: index into the call's buffers */
  float value;    /* SCALE */
  int64_t batch_stride[FROE_MAX_BATCH], m_stride, n_stride;
} froe_post;

/* c[batch, m, n] = post(sum over k of a[batch, m, k] * b[batch, k, n]), every operand with strides of its own (0:
 * broadcast). */
typedef struct {
  int32_t type;   /* of a and b; sums are kept in f32 or wider */
  int32_t c_type; /* of c and of the operands of posts: `type`, or FROE_F32 where that is narrower */
  int32_t tf32;   /* of f32: factors may be rounded to TF32 where that is faster */
  int32_t batch_rank;
  int64_t batch[FROE_MAX_BATCH];
  int64_t m, n, k;
  int64_t a_batch_stride[FROE_MAX_BATCH], a_m_stride, a_k_stride;
  int64_t b_batch_stride[FROE_MAX_BATCH], b_k_stride, b_n_stride;
  int64_t c_batch_stride[FROE_MAX_BATCH], c_m_stride, c_n_stride;
  int32_t weight; /* b is this weight, stored in the package as the library packs it; -1: b is a plain buffer */
  int32_t post_count;
  froe_post posts[FROE_MAX_POSTS];
} froe_matmul;

/* buffers: a, b, c, then the operands of `posts`. */
void froe_rt_matmul(froe_rt *rt, int32_t step, const froe_matmul *matmul, void *const *buffers);

/* Collectives over the ranks of `axes`. A tensor is seen as [outer][size][inner], cut along its middle dim into
 * `blocks` = the number of those ranks; a block has ceil(size / blocks) elements, the last ones are padded. Terms are
 * summed in the order of ranks, so results repeat bit for bit. */
void froe_rt_all_reduce(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t reduce, int32_t type, int64_t count,
                        const void *in, void *out); /* in may be out */
/* in [outer][block][inner], out [outer][size][inner] */
void froe_rt_all_gather(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                        int64_t inner, const void *in, void *out);
/* in [outer][size][inner], out [outer][block][inner] */
void froe_rt_reduce_scatter(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t reduce, int32_t type,
                            int64_t outer, int64_t size, int64_t inner, const void *in, void *out);
/* The tensor is seen as [outer][first][middle][second][inner]. gathers_first: `first` was cut and is whole afterwards,
 * `second` becomes cut; otherwise the other way round. Sizes are the whole ones. */
void froe_rt_all_to_all(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int32_t gathers_first,
                        int64_t outer, int64_t first, int64_t middle, int64_t second, int64_t inner, const void *in,
                        void *out);
/* Until the collective of step `step`, whose record says `waited`, is complete. Before that no step may write its
 * operand, or read or write its result. Where steps run one after the other, it is complete already. */
void froe_rt_wait(froe_rt *rt, int32_t step);

/* Local steps whose meaning depends on the rank. */
/* This rank's block: in [outer][size][inner], out [outer][block][inner]; padding becomes zero. */
void froe_rt_slice(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                   int64_t inner, const void *in, void *out);
/* in, out [outer][block][inner]: what lies behind this rank's valid part of a dim of `size` becomes `*neutral` (one
 * element of the type), the rest is copied. in may be out. */
void froe_rt_mask(froe_rt *rt, int32_t step, const froe_axes *axes, int32_t type, int64_t outer, int64_t size,
                  int64_t inner, const void *neutral, const void *in, void *out);

#ifdef __cplusplus
}
#endif
#endif
