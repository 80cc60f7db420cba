"""Kernels with seeded faults: each is reported, by name."""

import os
import re
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(__file__), "../../KernelsToLLVM/Inputs"))
from kernels import compile_kernels, launch_twin

SHARED = "memref<64xi32, #gpu.address_space<workgroup>>"
BEGIN = """%t = gpu.thread_id x
    %v = arith.index_cast %t : index to i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %all = arith.constant 32 : i32
    %far = arith.constant 4096 : i64
    %first = arith.cmpi ult, %t, %c1 : index
    %mirror = arith.subi %c63, %t : index"""
STORE = f"memref.store %v, %s[%t] : {SHARED}"
LOAD = f"%r = memref.load %s[%mirror] : {SHARED}"

CASES = {
    "right": (f"{STORE}\n gpu.barrier\n {LOAD}", None),
    "missing barrier": (f"{STORE}\n {LOAD}", "is read before it is written|without a barrier between"),
    "barrier before the write": (f"gpu.barrier\n {STORE}\n {LOAD}", "is read before it is written|without a barrier between"),
    "uninitialised": (f"gpu.barrier\n {LOAD}", "is read before it is written"),
    "off by one": (f"%u = arith.addi %t, %c1 : index\n memref.store %v, %s[%u] : {SHARED}", "is outside its 256 bytes"),
    "two writers": (f"memref.store %v, %s[%c0] : {SHARED}", "is written, and written by thread 0, without a barrier"),
    "divergent barrier": ("scf.if %first { gpu.barrier }", "1 at a barrier, 63 at the end"),
    "divergent shuffle": ("scf.if %first { %x, %y = gpu.shuffle xor %v, %one, %all : i32 }", "1 at a shuffle, 63 at the end"),
    "other barrier": ("scf.if %first { gpu.barrier } else { gpu.barrier }", "1 at a barrier, 63 at a barrier"),
    "outside its buffer": ("%p = llvm.getelementptr %out[%far] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32\n llvm.store %v, %p : i32, !llvm.ptr<1>",
                           "writes 4 bytes of global memory outside its buffers"),
    "writes its operand": ("%j = arith.index_cast %t : index to i64\n %p = llvm.getelementptr %in[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32\n"
                           " llvm.store %v, %p : i32, !llvm.ptr<1>", "writes 4 bytes of global memory outside its buffers"),
}


def program():
    functions = ""
    for number, (body, _) in enumerate(CASES.values()):
        functions += f"""gpu.func @k{number}(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %fault: !llvm.ptr<1>) workgroup(%s : {SHARED}) kernel
    attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    {BEGIN}
    {body}
    gpu.return }}\n"""
    return f"gpu.module @kernels {{\n{functions}}}\n"


library = compile_kernels(program(), sys.argv[1], simt=True)
failures = 0
for number, (name, (_, expected)) in enumerate(CASES.items()):
    buffers = [np.zeros(64, np.int32) for _ in range(2)]
    try:
        launch_twin(library, f"k{number}", buffers[:1], buffers[1:])
        found = None
    except SystemExit as error:
        found = str(error)
    if (found is None) != (expected is None) or (expected and not re.search(expected, found)):
        failures += 1
        print(f"FAILED {name}: expected '{expected}', found '{found}'")
print(f"{len(CASES)} kernels, {failures} failures")
sys.exit(1 if failures else 0)
