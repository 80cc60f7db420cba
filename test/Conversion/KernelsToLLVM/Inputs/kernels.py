"""Forms kernels of small programs, compiles them, runs them, and compares with NumPy.

All cases of a family are one program: each case contributes arguments, ops and results of @main. With SIMT (the library of
test/doubles/simt) in the environment, kernels are those for GPUs, run thread by thread.
"""

import ctypes
import os
import re
import subprocess

import numpy as np

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32",
         "int64": "i64", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}
DTYPES = {name: np.dtype(dtype) for dtype, name in NAMES.items()}
DTYPES["bf16"] = np.dtype("uint16")  # raw bits


def tensor(array):
    name = "bf16" if isinstance(array, Bf16) else NAMES[array.dtype.name]
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + name + ">"


class Bf16(np.ndarray):
    """Raw bits of bfloat16."""


def to_bf16(array):
    bits = np.asarray(array, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype(np.uint16).view(Bf16)


def from_bf16(array):
    return (np.asarray(array).astype(np.uint32) << 16).view(np.float32)


class Case:
    """`body` are ops; %a, %b, ... are the inputs, `results` names what is compared with `expected`."""

    def __init__(self, name, body, inputs, expected, results=("r",), fault=0, tolerance=2e-6, absolute=None):
        self.name, self.body, self.inputs, self.expected = name, body, inputs, expected
        self.results, self.fault, self.tolerance, self.absolute = results, fault, tolerance, absolute


def program(cases):
    arguments, lines, returned, types = [], [], [], []
    for number, case in enumerate(cases):
        prefix = f"%c{number}_"
        for letter, array in zip("abcdefgh", case.inputs):
            arguments.append(f"{prefix}{letter}: {tensor(array)}")
        lines += [re.sub(r"%(\w+)", prefix + r"\1", line) for line in case.body.strip().splitlines()]
        for name, array in zip(case.results, case.expected):
            returned.append(prefix + name)
            types.append(tensor(array))
    return (f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines) +
            f"\n  return {', '.join(returned)} : {', '.join(types)}\n}}\n")


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[:4000]}")
    return done.stdout


def without_main(text):
    lines, keep = [], True
    for line in text.splitlines():
        if line.startswith("  func.func @main"):
            keep = False
        if keep:
            lines.append(line)
        if line == "  }":
            keep = True
    return "\n".join(lines)


SIMT = ctypes.CDLL(os.environ["SIMT"], mode=ctypes.RTLD_GLOBAL) if "SIMT" in os.environ else None


class Range(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("writable", ctypes.c_int)]


def launch_twin(library, kernel, operands, results):
    """All threads of a kernel for GPUs; returns its fault."""
    count, block, grid, _ = (ctypes.c_int32 * 4).in_dll(library, kernel + "_twin")
    fault = np.zeros(1, np.uint32)
    buffers = [(array, 0) for array in operands] + [(array, 1) for array in results] + [(fault, 1)]
    assert count == len(buffers)
    SIMT.simt_set_ranges((Range * count)(*[Range(array.ctypes.data, array.nbytes, writable) for array, writable in buffers]), count)
    pointers = np.array([array.ctypes.data for array, _ in buffers], np.uint64)
    params = (ctypes.c_void_p * count)(*[pointers.ctypes.data + 8 * i for i in range(count)])
    error = ctypes.create_string_buffer(1000)
    dims = [(ctypes.c_uint32 * 3)(size, 1, 1) for size in (grid, block)]
    if SIMT.simt_launch(kernel.encode(), getattr(library, kernel), params, *dims, error, len(error)):
        raise SystemExit(error.value.decode())
    return min(int(fault[0]), 3) % 3 or int(fault[0] == 3)


def compile_kernels(text, stem, simt=SIMT is not None):
    passes = ["--kernels-to-gpu", "--gpu-to-host"] if simt else ["--lower-kernels"]
    lowered = without_main(run(["froe-opt", *passes], text))
    llvm = run(["mlir-translate", "--mlir-to-llvmir", "--allow-unregistered-dialect"], lowered)
    with open(stem + ".ll", "w") as file:
        file.write(llvm)
    run([os.environ.get("CC_LLVM", "clang-22"), "-O3", "-march=native", "-Wno-override-module", "-shared", "-fPIC", "-o", stem + ".so",
         stem + ".ll", "-lm"], "")
    return ctypes.CDLL(stem + ".so")


class Machine:
    """Executes the steps of a printed @main."""

    def __init__(self, text, library, pieces=3):
        self.library, self.pieces, self.faults = library, pieces, {}
        self.extents = {name: int(extent) for name, extent in
                        re.findall(r"func\.func private @([\w.]+)\(.*rank\.extent = (\d+)", text)}
        main = text[text.index("func.func @main"):]
        self.parameters = re.findall(r"(%\w+): tensor", main.splitlines()[0])
        self.lines = main.splitlines()[1:]

    @staticmethod
    def empty(type_text):
        *sizes, element = type_text[len("tensor<"):-1].split("x") if "x" in type_text else [type_text[len("tensor<"):-1]]
        array = np.empty([int(size) for size in sizes], DTYPES[element])
        return array.view(Bf16) if element == "bf16" else array

    def run(self, inputs):
        self.values = dict(zip(self.parameters, inputs))
        for line in self.lines:
            line = line.strip()
            if line.startswith("return"):
                names = line[len("return "):].split(" : ")[0]
                return [self.values[name] for name in names.split(", ")] if names else []
            self.step(line)
        raise AssertionError("no return")

    def step(self, line):
        name, right = line.split(" = ", 1)
        if right.startswith("rank.view"):
            operand = right.split()[1]
            target = self.empty(right.split(" -> ")[1].strip())
            self.values[name] = self.values[operand].reshape(target.shape)
        elif right.startswith("rank.launch"):
            self.launch(name, right)
        elif right.startswith("froe.constant"):
            elements, type_text = re.match(r"froe.constant dense<(.*)> : (tensor.*)", right).groups()
            target = self.empty(type_text)
            target[...] = np.array(eval(elements.replace("true", "1").replace("false", "0")))
            self.values[name] = target
        else:
            raise AssertionError(f"unexpected step {line}")

    def launch(self, name, right):
        kernel, operands, types = re.match(r"rank\.launch @([\w.]+)\((.*?)\) : \(.*?\) -> (.*)", right).groups()
        results = [self.empty(text) for text in re.findall(r"tensor<[^>]*>", types)]
        arrays = [np.ascontiguousarray(self.values[operand]) for operand in operands.split(", ") if operand]
        fault = launch_twin(self.library, kernel, arrays, results) if SIMT else self.launch_pieces(kernel, arrays + results)
        self.keep(name, results, fault)

    def launch_pieces(self, kernel, arrays):
        pointers = (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
        function = getattr(self.library, kernel)
        function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        extent, fault = self.extents[kernel], 0
        cuts = [extent * piece // self.pieces for piece in range(self.pieces + 1)]
        for begin, end in zip(cuts, cuts[1:]):
            fault = fault or function(pointers, begin, end)
        return fault

    def keep(self, name, results, fault):
        if len(results) == 1:
            self.values[name] = results[0]
            self.faults[name] = fault
            self.owner[id(results[0])] = fault if hasattr(self, "owner") else fault
        else:
            base = name.split(":")[0]
            for number, result in enumerate(results):
                self.values[f"{base}#{number}"] = result


def differs(actual, expected, tolerance, absolute=None):
    if isinstance(expected, Bf16):
        actual, expected, tolerance = from_bf16(actual), from_bf16(expected), max(tolerance, 8e-3)
    if expected.dtype == np.float16:
        tolerance = max(tolerance, 1e-3)
    if expected.dtype.kind != "f":
        return not np.array_equal(actual, expected)
    same = np.isclose(actual.astype(np.float64), expected.astype(np.float64), rtol=tolerance, atol=tolerance * 0.1 if absolute is None else absolute, equal_nan=True)
    return not same.all()


def check(cases, stem, passes=("--form-kernels",)):
    text = run(["froe-opt", *passes], program(cases))
    with open(stem + ".mlir", "w") as file:
        file.write(text)
    machine = Machine(text, compile_kernels(text, stem))
    machine.owner = {}
    with np.errstate(all="ignore"):
        actual = machine.run([array for case in cases for array in case.inputs])
    position, failures = 0, 0
    for case in cases:
        for expected in case.expected:
            result = actual[position]
            position += 1
            fault = machine.owner.get(id(result), 0)
            if fault != case.fault or (not case.fault and (result.shape != expected.shape or differs(result, expected, case.tolerance, case.absolute))):
                failures += 1
                print(f"FAILED {case.name}: fault {fault}\n  got      {result.ravel()[:8]}\n  expected {expected.ravel()[:8]}")
                if result.shape == expected.shape and expected.dtype.kind == "f" and not isinstance(expected, Bf16):
                    error = np.abs(result.astype(np.float64) - expected)
                    place = int(np.nanargmax(error)) if not np.isnan(error).all() else 0
                    print(f"  largest difference {error.ravel()[place]:.3g} at {place}: {result.ravel()[place]} {expected.ravel()[place]}")
    print(f"{len(cases)} cases, {failures} failures, {len(machine.extents)} kernels")
    raise SystemExit(1 if failures else 0)
