"""Each kernel of a model: what its GPU form computes, thread by thread, is what its CPU form computes.

    SIMT=libfroe_simt.so model_kernels.py KERNELS.mlir STEM      # a file of `froe compile --emit=kernels`
"""

import ctypes
import os
import re
import sys

import numpy as np
sys.path.append(os.path.join(os.path.dirname(__file__), "../../KernelsToLLVM/Inputs"))
from kernels import Machine, compile_kernels, differs, launch_twin, run

random = np.random.default_rng(7)


def kernels_in(text):
    """Name, extent, operand and result types of each."""
    for name, arguments, results, attributes in re.findall(
            r"func\.func private @([\w.]+)\((.*?)\) -> (.*?) attributes \{(.*?)\}", text):
        extent = int(re.search(r"rank\.extent = (\d+)", attributes).group(1))
        yield name, extent, re.findall(r"tensor<[^>]*>", arguments), re.findall(r"tensor<[^>]*>", results)


def some(type_text):
    array = Machine.empty(type_text)
    if array.dtype.kind == "f":
        array[...] = random.standard_normal(array.shape)
    else:
        array[...] = random.integers(0, 2, array.shape)  # an index of any dim
    return array


def main(file, stem):
    text = run(["froe-opt"], open(file).read())
    bodies = "\n".join(re.findall(r"^  func\.func private .*?^  }$", text, re.MULTILINE | re.DOTALL))
    cpu, gpu = compile_kernels(bodies, stem + ".cpu", simt=False), compile_kernels(bodies, stem + ".gpu", simt=True)
    failures = count = 0
    for name, extent, operand_types, result_types in kernels_in(bodies):
        operands = [some(type_text) for type_text in operand_types]
        expected, actual = ([Machine.empty(type_text) for type_text in result_types] for _ in range(2))
        arrays = operands + expected
        function = getattr(cpu, name)
        function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        faults = function((ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays]), 0, extent), launch_twin(gpu, name, operands, actual)
        wrong = faults[0] != faults[1] or any(differs(a, e, 1e-5) for a, e in zip(actual, expected))
        failures += wrong
        count += 1
        if wrong:
            print(f"FAILED {name}: faults {faults}")
    print(f"{count} kernels, {failures} failures")
    raise SystemExit(1 if failures or not count else 0)


main(*sys.argv[1:])
