// SampleProgram.cpp as a program for CUDA devices: the same inputs, weights and outputs, one kernel out of an image.
// The image is a shared object of the host, which only the double of the driver accepts; a compiled program has cubins.
#include "runtime/conformance/program/Sample.h"

asm(".section .rodata\n.globl sample_image\nsample_image:\n.incbin \"" SAMPLE_IMAGE "\"\n.previous\n");
extern "C" const char sample_image[];

using namespace sample;

namespace {

const froe_image images[] = {{"sm_80", sample_image, 0}};
const froe_device_kernel kernels[] = {{"multiply", 32, 0, 3}};

void run(froe_rt *rt) {
  char *arena = static_cast<char *>(froe_rt_arena(rt));
  void *buffers[] = {arena + kX, const_cast<void *>(froe_rt_weight(rt, 0)), arena + kProduct};
  froe_rt_launch(rt, 0, 0, 1, buffers);
  froe_rt_all_gather(rt, 1, &x, FROE_F32, 1, kRows, kColumns, arena + kProduct, arena + kY);
}

} // namespace

extern const froe_program froe_program_main{
    FROE_RT_ABI_VERSION, "sample", 1,      {2}, kArena,  1, inputs, 2, outputs, 1, weights, 2, steps, run,
    FROE_CUDA,           1,        images, 1,   kernels, 0, nullptr};
