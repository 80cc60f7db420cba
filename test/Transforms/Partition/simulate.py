"""Runs a program before and after partitioning, all ranks side by side on NumPy, and compares the results.

    simulate.py PROGRAM RANKS     two modules in generic form (--mlir-print-op-generic); of PROGRAM only @main's ops matter

Padding of arguments and of what collectives hand out is poison (NaN, huge integers), so that a program that reads it fails.
"""
import math
import re
import sys
import zlib

import numpy as np

TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32,
         "i64": np.int64, "ui8": np.uint8}
REDUCE = [np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or]
COMPARE = [np.equal, np.less, np.less_equal, np.greater, np.greater_equal]
ERF = np.vectorize(math.erf, otypes=[np.float64])


class Op:
    def __init__(self, line):
        head = re.match(r'\s*(?:(%[\w#:]+) = )?"([\w.]+)"\(([^)]*)\)(.*)', line)
        self.result, self.name, operands, self.rest = head.groups()
        self.operands = [name.strip() for name in operands.split(",") if name.strip()]
        self.types = [parse_type(text) for text in re.findall(r"tensor<[^<>]*>", self.rest.rsplit(" : (", 1)[-1].split("->")[-1])]

    def ints(self, key):
        found = re.search(rf"\b{key} = array<i64(?:: ([^>]*))?>", self.rest)
        return [int(x) for x in found[1].split(",")] if found and found[1] else []

    def int(self, key):
        return int(re.search(rf"\b{key} = (-?\d+)", self.rest)[1])

    def axes(self):
        return re.findall(r'"([^"]*)"', re.search(r"axes = \[([^\]]*)\]", self.rest)[1])

    def value(self, key, dtype):
        text = re.search(rf"\b{key} = ([^ ,}}]+)", self.rest)[1]
        if text.startswith("0x"):  # a float that decimals do not express
            bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
            return np.array(int(text, 16), bits).view(dtype)
        return {"true": True, "false": False}.get(text) if text in ("true", "false") else dtype(float(text))


def parse_type(text):
    *dims, element = text[len("tensor<"):-1].split("x")
    return tuple(int(d) for d in dims), TYPES[element]


class Module:
    def __init__(self, path, partitioned):
        text = open(path).read()
        aliases = dict(re.findall(r"^(#\w+) = (#froe.sharding<.*>)$", text, re.M))
        text = re.sub(r"#\w+(?=[,}\]\s])", lambda m: aliases.get(m[0], m[0]), text)
        mesh = re.search(r'"froe.mesh"\(\) <\{axis_names = \[([^\]]*)\], axis_sizes = array<i64: ([^>]*)>', text)
        self.mesh = dict(zip(re.findall(r'"([^"]*)"', mesh[1]), map(int, mesh[2].split(",")))) if mesh and partitioned else {"x": 1}
        header = next(line for line in text.splitlines() if '"func.func"' in line)
        self.arguments = self.interface(header, "arg_attrs") if partitioned else []
        self.results = self.interface(header, "res_attrs") if partitioned else []
        block = next((line for line in text.splitlines() if "^bb0" in line), "")
        self.parameters = re.findall(r"(%\w+): (tensor<[^>]*>)", block)
        self.ops = [Op(line) for line in text.splitlines() if re.match(r'\s+(%\S+ = )?"(froe|rank)\.(?!mesh)|\s+"func.return"', line)]

    @staticmethod
    def interface(header, key):
        """Sharding of each argument or result: axes of each dim."""
        start = header.find(key)
        if start < 0:
            return []
        end = header.find("res_attrs" if key == "arg_attrs" else "sym_name", start)
        end = end if end > 0 else header.find("sym_name", start)
        part = header[start:end]
        return [[re.findall(r'"([^"]*)"', dim) for dim in re.findall(r"\{([^{}]*)\}", s)]
                for s in re.findall(r"froe.sharding = #froe.sharding<@\w+, (\[(?:[^\[\]]*)\])", part)]


class Ranks:
    """Coordinates of ranks, and blocks of arrays."""

    def __init__(self, mesh):
        self.names, self.sizes = list(mesh), list(mesh.values())
        self.count = int(np.prod(self.sizes))

    def coordinate(self, rank, axis):
        return np.unravel_index(rank, self.sizes)[self.names.index(axis)]

    def blocks(self, axes):
        return int(np.prod([self.sizes[self.names.index(a)] for a in axes], dtype=int))

    def block(self, rank, axes):
        index = 0
        for axis in axes:
            index = index * self.sizes[self.names.index(axis)] + self.coordinate(rank, axis)
        return index

    def group(self, rank, axes):
        same = [r for r in range(self.count)
                if all(self.coordinate(r, a) == self.coordinate(rank, a) for a in self.names if a not in axes)]
        return sorted(same, key=lambda r: self.block(r, axes))


def poison(shape, dtype):
    return np.full(shape, np.nan if np.issubdtype(dtype, np.floating) else True if dtype == np.bool_ else 99, dtype)


def cut(array, dim, begin, size, fill):
    shape = list(array.shape)
    shape[dim] = size
    part = np.zeros(shape, array.dtype) if fill == "zero" else poison(shape, array.dtype.type)
    valid = max(0, min(size, array.shape[dim] - begin))
    source, target = [slice(None)] * array.ndim, [slice(None)] * array.ndim
    source[dim], target[dim] = slice(begin, begin + valid), slice(0, valid)
    part[tuple(target)] = array[tuple(source)]
    return part


def contract(op, lhs, rhs):
    text = re.search(r'subscripts = "([^"]*)"', op.rest)[1]
    return np.einsum(text, lhs, rhs)


def gather_nd(op, table, indices):
    batch = op.int("batch_dims")
    out = np.empty(op.types[0][0], table.dtype)
    for at in np.ndindex(*indices.shape[:-1]):
        index = at[:batch] + tuple(indices[at])
        out[at] = table[index]
    return out


def normalize(op, x, *more):
    first = op.int("first")
    dims = tuple(range(first, x.ndim))
    epsilon = float(re.search(r"epsilon = ([^ ,}]+)", op.rest)[1])
    if op.int("form") == 0:
        x = x - x.mean(dims, keepdims=True)
    x = x / np.sqrt((x * x).mean(dims, keepdims=True) + epsilon)
    segments = [int(v) for v in re.search(r"operandSegmentSizes = array<i32: ([^>]*)>", op.rest)[1].split(",")]
    more = list(more)
    x = x * more.pop(0) if segments[1] else x
    return x + more.pop(0) if segments[2] else x


def softmax(op, x):
    e = np.exp(x - x.max(op.int("dim"), keepdims=True))
    return e / e.sum(op.int("dim"), keepdims=True)


def broadcast(op, x):
    shape = [1] * len(op.types[0][0])
    for dim, size in zip(op.ints("dims"), x.shape):
        shape[dim] = size
    return np.broadcast_to(x.reshape(shape), op.types[0][0])


def constant(op):
    shape, dtype = op.types[0]
    text = re.search(r"dense<(.*?)> : tensor", op.rest)[1]
    values = [{"true": 1.0, "false": 0.0}.get(v) if v in ("true", "false") else float(v) for v in re.findall(r"true|false|-?[\d.]+(?:E[+-]?\d+)?", text, re.I)]
    return np.broadcast_to(np.array(values).astype(dtype).reshape(shape if len(values) > 1 else ()), shape)


def iota(op):
    shape, dtype = op.types[0]
    view = [1] * len(shape)
    view[op.int("dim")] = shape[op.int("dim")]
    return np.broadcast_to(np.arange(shape[op.int("dim")], dtype=dtype).reshape(view), shape)


def slice_(op, x):
    picks = [start + stride * np.arange(size) for start, stride, size in zip(op.ints("starts"), op.ints("strides"), op.types[0][0])]
    return x[np.ix_(*picks)] if picks else x


def pad(op, x):
    return np.pad(x, list(zip(op.ints("low"), op.ints("high"))), constant_values=op.value("value", x.dtype.type))


LOCAL = {
    "neg": lambda op, x: -x, "exp": lambda op, x: np.exp(x), "tanh": lambda op, x: np.tanh(x), "relu": lambda op, x: np.maximum(x, 0),
    "sqrt": lambda op, x: np.sqrt(x), "abs": lambda op, x: np.abs(x), "not": lambda op, x: ~x,
    "gelu": lambda op, x: (x / 2 * (1 + ERF(x / math.sqrt(2)))).astype(x.dtype), "silu": lambda op, x: x / (1 + np.exp(-x)),
    "add": lambda op, a, b: a + b, "sub": lambda op, a, b: a - b, "mul": lambda op, a, b: a * b, "max": lambda op, a, b: np.maximum(a, b),
    "min": lambda op, a, b: np.minimum(a, b), "and": lambda op, a, b: a & b, "or": lambda op, a, b: a | b,
    "div": lambda op, a, b: a / b if np.issubdtype(a.dtype, np.floating) else (a / b).astype(a.dtype),
    "compare": lambda op, a, b: COMPARE[op.int("relation")](a, b), "select": lambda op, c, a, b: np.where(c, a, b),
    "cast": lambda op, x: x.astype(op.types[0][1]), "contract": contract, "softmax": softmax, "normalize": normalize,
    "reduce": lambda op, x: REDUCE[op.int("kind")].reduce(x, axis=tuple(op.ints("dims"))).astype(x.dtype),
    "reshape": lambda op, x: x.reshape(op.types[0][0]), "transpose": lambda op, x: x.transpose(op.ints("permutation")),
    "broadcast": broadcast, "concat": lambda op, *xs: np.concatenate(xs, op.int("dim")), "slice": slice_, "pad": pad,
    "gather": lambda op, x, i: np.take(x, i, op.int("dim"), mode="raise"), "gather_nd": gather_nd, "constant": constant, "iota": iota,
}


class Simulation:
    def __init__(self, module, weights):
        self.module, self.weights, self.ranks, self.sent = module, weights, Ranks(module.mesh), 0

    def distribute(self, array, sharding, fill="poison"):
        blocks = []
        for rank in range(self.ranks.count):
            block = array
            for dim, axes in enumerate(sharding):
                size = -(-array.shape[dim] // self.ranks.blocks(axes))
                block = cut(block, dim, self.ranks.block(rank, axes) * size, size, fill)
            blocks.append(block)
        return blocks

    def collect(self, blocks, sharding, shape):
        """The global array, and a check that copies are equal bit for bit."""
        out = poison(shape, blocks[0].dtype.type)
        for rank in range(self.ranks.count):
            at, valid = [], []
            for dim, size in enumerate(shape):
                each = -(-size // self.ranks.blocks(sharding[dim]))
                begin = self.ranks.block(rank, sharding[dim]) * each
                count = max(0, min(each, size - begin))
                at.append(slice(begin, begin + count))
                valid.append(slice(0, count))
            assert tuple(blocks[rank].shape) == tuple(-(-s // self.ranks.blocks(a)) for s, a in zip(shape, sharding)), "local shape"
            old, new = out[tuple(at)], blocks[rank][tuple(valid)]
            known = ~np.isnan(old) if np.issubdtype(old.dtype, np.floating) else np.zeros(old.shape, bool)
            assert (old[known] == new[known]).all(), "copies differ"
            out[tuple(at)] = new
        return out

    def run(self, arguments):
        values = {}
        for i, (name, _) in enumerate(self.module.parameters):
            sharding = self.module.arguments[i] if self.module.arguments else [[]] * arguments[i].ndim
            values[name] = self.distribute(arguments[i], sharding)
        for op in self.module.ops:
            operands = [values[name] for name in op.operands]
            if op.name == "func.return":
                return operands
            values[op.result] = self.execute(op, operands)
            for block in values[op.result]:
                assert block.shape == op.types[0][0], f"{op.name}: {block.shape} instead of {op.types[0][0]}"

    def execute(self, op, operands):
        dialect, name = op.name.split(".")
        if name == "weight":
            return self.weight(op)
        if dialect == "froe":
            return [np.asarray(LOCAL[name](op, *(operand[rank] for operand in operands)), op.types[0][1]) for rank in range(self.ranks.count)]
        self.sent += name not in ("slice", "mask")
        return [getattr(self, name)(op, operands[0], rank) for rank in range(self.ranks.count)]

    def weight(self, op):
        name = re.search(r'name = "([^"]*)"', op.rest)[1]
        found = re.search(r"froe.sharding = #froe.sharding<@\w+, (\[[^\[\]]*\])", op.rest)
        array = self.weights(name, *(parse_type(re.search(r"global_type = (tensor<[^>]*>)", op.rest)[1]) if found else op.types[0]))
        sharding = [re.findall(r'"([^"]*)"', d) for d in re.findall(r"\{([^{}]*)\}", found[1])] if found else [[]] * array.ndim
        return self.distribute(array, sharding)

    def slice(self, op, blocks, rank):
        size = op.types[0][0][op.int("dim")]
        return cut(blocks[rank], op.int("dim"), self.ranks.block(rank, op.axes()) * size, size, "zero")

    def mask(self, op, blocks, rank):
        block, dim, size = blocks[rank].copy(), op.int("dim"), op.int("size")
        valid = max(0, min(block.shape[dim], size - self.ranks.block(rank, op.axes()) * block.shape[dim]))
        at = [slice(None)] * block.ndim
        at[dim] = slice(valid, None)
        block[tuple(at)] = op.value("value", block.dtype.type)
        return block

    def all_reduce(self, op, blocks, rank):
        total = None
        for other in self.ranks.group(rank, op.axes()):
            total = blocks[other] if total is None else REDUCE[op.int("kind")](total, blocks[other]).astype(total.dtype)
        return total

    def reduce_scatter(self, op, blocks, rank):
        size = op.types[0][0][op.int("dim")]
        return cut(self.all_reduce(op, blocks, rank), op.int("dim"), self.ranks.block(rank, op.axes()) * size, size, "poison")

    def join(self, parts, dim, size):
        return cut(np.concatenate(parts, dim), dim, 0, size, "poison")

    def all_gather(self, op, blocks, rank):
        parts = [blocks[other] for other in self.ranks.group(rank, op.axes())]
        return self.join(parts, op.int("dim"), op.types[0][0][op.int("dim")])

    def all_to_all(self, op, blocks, rank):
        origin, target = op.int("from"), op.int("to")
        size = op.types[0][0][target]
        begin = self.ranks.block(rank, op.axes()) * size
        parts = [cut(blocks[other], target, begin, size, "poison") for other in self.ranks.group(rank, op.axes())]
        return self.join(parts, origin, op.types[0][0][origin])


def random_array(name, shape, dtype):
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    if np.issubdtype(dtype, np.floating):
        return generator.uniform(-1, 1, shape).astype(dtype)
    return generator.integers(0, 2, shape).astype(dtype)


def main():
    program, partitioned = Module(sys.argv[1], False), Module(sys.argv[2], True)
    arguments = [random_array(name, *parse_type(text)) for name, text in program.parameters]
    expected = Simulation(program, random_array).run(arguments)
    simulation = Simulation(partitioned, random_array)
    got = simulation.run(arguments)
    for i, (want, blocks) in enumerate(zip(expected, got)):
        value = simulation.collect(blocks, partitioned.results[i], want[0].shape)
        np.testing.assert_allclose(value.astype(np.float64), want[0].astype(np.float64), rtol=2e-5, atol=2e-6, err_msg=f"result {i}")
    print(f"{len(got)} results equal on {simulation.ranks.count} ranks, {simulation.sent} collectives")


np.seterr(all="ignore")
main()
