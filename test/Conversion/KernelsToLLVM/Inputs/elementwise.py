import math
import sys

import numpy as np
from kernels import Bf16, Case, check, from_bf16, tensor, to_bf16

random = np.random.default_rng(1)
erf = np.vectorize(math.erf)
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 88.5, 88.8, -87.0, -100.0, 3e38, -3e38, 1.0, -1.0, 0.5])


def floats(*shape, dtype="float32", scale=3.0):
    return (random.standard_normal(shape) * scale).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


UNARY = {
    "abs": np.abs, "neg": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "reciprocal": lambda x: 1 / x,
    "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "erf": erf, "floor": np.floor, "ceil": np.ceil, "round": np.rint,
    "sign": lambda x: np.where(x > 0, 1.0, np.where(x < 0, -1.0, x)), "sigmoid": sigmoid, "silu": lambda x: x * sigmoid(x),
    "relu": lambda x: np.where(x < 0, 0, x), "gelu erf": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    "gelu tanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}


def unary():
    for name, function in UNARY.items():
        for dtype in ("float32", "float64", "float16"):
            x = floats(37, 19, dtype=dtype)
            if dtype != "float16":
                x.ravel()[: len(SPECIAL)] = SPECIAL if "gelu" not in name and name not in ("silu", "sigmoid") else np.clip(SPECIAL, -60, 60)
            if name in ("sin", "cos"):
                x = np.clip(x, -1e5, 1e5)
            expected = np.asarray(function(x.astype(np.float64))).astype(dtype)
            tiny = name == "exp" and dtype == "float32"
            yield Case(f"{name} {dtype}", f"%r = froe.{name} %a : {tensor(x)}", [x], [expected],
                       tolerance=8e-6 if name.startswith("gelu") else 1e-6 if not tiny else 1e-6)
        x = floats(5, 33)
        bits = to_bf16(x)
        yield Case(f"{name} bf16", f"%r = froe.{name} %a : {tensor(bits)}", [bits],
                   [to_bf16(function(from_bf16(bits).astype(np.float64)))])
    integers = random.integers(-9, 9, (7, 5))
    for dtype in ("int8", "int32", "int64"):
        x = integers.astype(dtype)
        for name in ("abs", "neg", "sign", "relu"):
            yield Case(f"{name} {dtype}", f"%r = froe.{name} %a : {tensor(x)}", [x], [UNARY[name](x).astype(dtype)])
    flags = integers > 0
    yield Case("not", f"%r = froe.not %a : {tensor(flags)}", [flags], [~flags])


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "mod": np.fmod, "pow": np.power,
    "max": np.maximum, "min": np.minimum,
}


def binary():
    for name, function in BINARY.items():
        for dtype in ("float32", "float64", "float16"):
            x, y = floats(13, 21, dtype=dtype), floats(13, 21, dtype=dtype)
            if name == "pow":
                x = np.abs(x)
            else:
                x.ravel()[:4], y.ravel()[1:5] = [np.nan, np.inf, -np.inf, 0.0], [np.nan, -np.inf, np.inf, 0.0]
            yield Case(f"{name} {dtype}", f"%r = froe.{name} %a, %b : {tensor(x)}", [x, y], [function(x, y)], tolerance=1e-6)
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"):
            signed = dtype[0] == "i"
            x = random.integers(-99 if signed else 0, 99, (4, 9)).astype(dtype)
            y = random.integers(1, 5, (4, 9)).astype(dtype)
            if signed and name != "pow":
                y *= np.where(random.integers(0, 2, y.shape) == 0, -1, 1).astype(dtype)
            if name == "pow":
                x, y = np.abs(x) % 5, np.minimum(y, 3)
            if name == "div":
                expected = np.trunc(x.astype(np.float64) / y).astype(dtype)
            else:
                expected = {"mod": np.mod}.get(name, function)(x, y)
            yield Case(f"{name} {dtype}", f"%r = froe.{name} %a, %b : {tensor(x)}", [x, y], [expected.astype(dtype)])
    lowest = np.array([-128, -128, 7], np.int8)
    minus = np.array([-1, 1, -1], np.int8)
    yield Case("div overflow", f"%r = froe.div %a, %b : {tensor(lowest)}", [lowest, minus], [np.array([-128, -128, -7], np.int8)])
    zero = np.array([1, 0, 2], np.int32)
    yield Case("div by zero", f"%r = froe.div %a, %b : {tensor(zero)}", [zero, zero], [zero], fault=2)
    yield Case("mod by zero", f"%r = froe.mod %a, %b : {tensor(zero)}", [zero, zero], [zero], fault=2)
    p, q = random.integers(0, 2, (2, 6, 7)).astype(bool)
    i, j = random.integers(-50, 50, (2, 6, 7)).astype(np.int32)
    for name, function in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
        yield Case(f"{name} i1", f"%r = froe.{name} %a, %b : {tensor(p)}", [p, q], [function(p, q)])
        yield Case(f"{name} i32", f"%r = froe.{name} %a, %b : {tensor(i)}", [i, j], [function(i, j)])


RELATIONS = {"equal": np.equal, "less": np.less, "less_or_equal": np.less_equal, "greater": np.greater,
             "greater_or_equal": np.greater_equal}


def comparisons():
    for name, function in RELATIONS.items():
        for dtype in ("float32", "int32", "uint8", "int64", "float16"):
            x = random.integers(0 if dtype[0] == "u" else -3, 250 if dtype[0] == "u" else 3, (9, 8)).astype(dtype)
            y = np.roll(x, 1)
            if dtype[0] == "f":
                x[0, :2], y[0, 1:3] = np.nan, np.nan
            out = function(x, y)
            yield Case(f"compare {name} {dtype}", f"%r = froe.compare {name} %a, %b : {tensor(x)} -> {tensor(out)}", [x, y], [out])
    x = floats(4, 5)
    x[1] = np.nan
    yield Case("is_nan", f"%r = froe.is_nan %a : {tensor(x)} -> tensor<4x5xi1>", [x], [np.isnan(x)])
    for dtype in ("float32", "int64", "bool", "float16"):
        c = random.integers(0, 2, (5, 3)).astype(bool)
        x, y = floats(5, 3).astype(dtype), floats(5, 3).astype(dtype)
        yield Case(f"select {dtype}", f"%r = froe.select %a, %b, %c : {tensor(c)}, {tensor(x)}", [c, x, y], [np.where(c, x, y)])


def casts():
    kinds = ("float32", "float64", "float16", "int8", "int32", "int64", "uint8", "uint32", "bool")
    for source in kinds:
        for target in kinds:
            if source == target:
                continue
            low = 0 if target[0] == "u" or source[0] == "u" else -100
            x = random.integers(low, 100, (6, 7)).astype(source)
            if source[0] == "f" and target[0] != "b":
                x += np.asarray(0.25, x.dtype)
            yield Case(f"cast {source} {target}", f"%r = froe.cast %a : {tensor(x)} to {tensor(x.astype(target))}", [x], [x.astype(target)])
    x = np.array([np.nan, 1e30, -1e30, 3.9, -3.9], np.float32)
    yield Case("cast outside", f"%r = froe.cast %a : {tensor(x)} to tensor<5xi32>", [x],
               [np.array([0, 2**31 - 1, -(2**31), 3, -3], np.int32)])


FAMILIES = {"unary": unary, "binary": binary, "comparisons": comparisons, "casts": casts}
with np.errstate(all="ignore"):
    check([case for family in (FAMILIES if sys.argv[1] == "all" else [sys.argv[1]]) for case in FAMILIES[family]()], sys.argv[2])
