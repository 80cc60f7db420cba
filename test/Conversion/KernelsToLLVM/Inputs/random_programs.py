"""Random programs: whatever is grouped how, the numbers are NumPy's."""

import sys

import numpy as np
from kernels import Case, check, tensor


class Program:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        shape = tuple(int(size) for size in self.random.choice([1, 2, 3, 5, 8], self.random.integers(1, 5)))
        self.inputs = [self.random.standard_normal(shape).astype(np.float32) for _ in range(2)]
        self.values = dict(zip("ab", (array.astype(np.float64) for array in self.inputs)))
        self.lines = []

    def type(self, array):
        return tensor(array.astype(np.float32))

    def define(self, text, array):
        name = f"v{len(self.lines)}"
        self.lines.append(f"%{name} = {text}")
        self.values[name] = array
        return name

    def pick(self, shape=None):
        names = [name for name, array in self.values.items() if shape is None or array.shape == shape]
        return names[self.random.integers(max(0, len(names) - 5), len(names))]

    def step(self):
        kind = self.random.choice(["unary", "binary", "binary", "reduce", "keep", "softmax", "normalize", "transpose", "slice", "concat", "view"])
        name = self.pick()
        x = self.values[name]
        t, rank = self.type(x), x.ndim
        if kind == "unary" or rank == 0:
            op, function = [("tanh", np.tanh), ("neg", np.negative), ("abs", np.abs), ("sigmoid", lambda v: 1 / (1 + np.exp(-v)))][self.random.integers(4)]
            self.define(f"froe.{op} %{name} : {t}", function(x))
        elif kind == "binary":
            other = self.pick(x.shape)
            op, function = [("add", np.add), ("mul", np.multiply), ("max", np.maximum)][self.random.integers(3)]
            result = function(x, self.values[other])
            if np.abs(result).max() < 100:
                self.define(f"froe.{op} %{name}, %{other} : {t}", result)
        elif kind in ("reduce", "keep"):
            first = int(self.random.integers(0, rank))
            dims = tuple(range(first, rank)) if self.random.random() < 0.7 else (first,)
            op, function = [("sum", np.mean), ("max", np.max)][self.random.integers(2)]
            result = np.asarray(function(x, axis=dims))
            reduced = self.define(f"froe.reduce {op} %{name} dims {list(dims)} : {t} -> {self.type(result)}", result)
            if op == "sum":
                count = x.size // max(result.size, 1)
                factor = self.define(f"froe.constant dense<{1 / count:.9e}> : {self.type(result)}", np.full(result.shape, 1 / count))
                self.values[reduced] = result * count
                reduced = self.define(f"froe.mul %{reduced}, %{factor} : {self.type(result)}", result)
            if kind == "keep":
                kept = result.reshape([1 if dim in dims else x.shape[dim] for dim in range(rank)])
                view = self.define(f"rank.view %{reduced} : {self.type(result)} -> {self.type(kept)}", kept)
                wide = np.broadcast_to(kept, x.shape)
                wide_name = self.define(f"froe.broadcast %{view} dims {list(range(rank))} : {self.type(kept)} -> {t}", wide)
                self.define(f"froe.sub %{name}, %{wide_name} : {t}", x - wide)
        elif kind == "softmax":
            dim = int(self.random.integers(0, rank)) if self.random.random() < 0.3 else rank - 1
            e = np.exp(x - x.max(dim, keepdims=True))
            self.define(f"froe.softmax %{name} dim {dim} : {t}", e / e.sum(dim, keepdims=True))
        elif kind == "normalize":
            first = int(self.random.integers(0, rank))
            axes = tuple(range(first, rank))
            self.define(f"froe.normalize rms %{name} from {first} epsilon 1.000000e-01 : {t}",
                        x / np.sqrt((x * x).mean(axes, keepdims=True) + 0.1))
        elif kind == "transpose":
            order = [int(dim) for dim in self.random.permutation(rank)]
            result = x.transpose(order)
            self.define(f"froe.transpose %{name} {order} : {t} -> {self.type(result)}", result)
        elif kind == "slice":
            starts = [int(self.random.integers(0, size)) for size in x.shape]
            result = x[tuple(slice(start, None) for start in starts)]
            self.define(f"froe.slice %{name} starts {starts} strides {[1] * rank} : {t} -> {self.type(result)}", result)
        elif kind == "concat":
            other, dim = self.pick(x.shape), int(self.random.integers(0, rank))
            result = np.concatenate([x, self.values[other]], dim)
            self.define(f"froe.concat %{name}, %{other} dim {dim} : {t}, {t} -> {self.type(result)}", result)
        elif kind == "view":
            sizes = [int(size) for size in x.shape if size != 1] + [1] * int(self.random.integers(0, 2))
            result = x.reshape(sizes)
            self.define(f"rank.view %{name} : {t} -> {self.type(result)}", result)

    def case(self, number):
        while len(self.lines) < 12:
            self.step()
        names = [name for name in self.values if name[0] == "v"]
        results = [names[-1], names[self.random.integers(0, len(names))]]
        return Case(f"program {number}\n" + "\n".join(self.lines), "\n".join(self.lines), self.inputs,
                    [np.array(self.values[name], np.float32, order="C") for name in results], results=results, tolerance=2e-4)


first, count = int(sys.argv[1]), int(sys.argv[2])
check([Program(seed).case(seed) for seed in range(first, first + count)], sys.argv[3])
