"""Small graphs that look like what Simplify recovers, on tensors whose dims all have one size.

An idiom that is matched by shapes alone is matched here along the wrong dims as well: axes, permutations and constants are
drawn at random, so most graphs are near misses, and ONNX Runtime says what they mean. Seeds are the cases' numbers.
"""

import math
from collections.abc import Callable

import numpy as np

from cases import Const, Graph, floats, ints, scalar

SIZE = 4
Random = np.random.Generator


def choose(random: Random, *options):
    return options[int(random.integers(len(options)))]


def chance(random: Random, probability: float) -> bool:
    return random.random() < probability


def tensor(random: Random, rank: int) -> np.ndarray:
    return random.standard_normal([SIZE] * rank).astype(np.float32)


def weight(random: Random, rank: int) -> Const:
    return Const(tensor(random, rank))


def permuted(graph: Graph, random: Random, value: str, rank: int) -> str:
    return graph.op("Transpose", value, perm=[int(dim) for dim in random.permutation(rank)])


def product(graph: Graph, random: Random, *factors) -> str:
    """The product of all factors in random order and association."""
    values = [factors[index] for index in random.permutation(len(factors))]
    while len(values) > 1:
        index = int(random.integers(len(values) - 1))
        values[index:index + 2] = [graph.op("Mul", values[index], values[index + 1])]
    return values[0]


def squared(graph: Graph, random: Random, x: str) -> str:
    kind = random.random()
    if kind < 0.45:
        return graph.op("Mul", x, x)
    return graph.op("Pow", x, scalar(2.0 if kind < 0.9 else 4.0))


def mean(graph: Graph, random: Random, value: str, axes: list[int], keep: bool) -> str:
    if chance(random, 0.6):
        return graph.op("ReduceMean", value, ints(*axes), keepdims=int(keep))
    total = graph.op("ReduceSum", value, ints(*axes), keepdims=int(keep))
    count = SIZE ** choose(random, len(axes), len(axes), len(axes), 3 - len(axes))
    return graph.op("Div", total, scalar(float(count)))


def restored(graph: Graph, random: Random, value: str, axes: list[int], rank: int) -> str:
    """A reduced value against the whole again: where the dims were, at other places, or in front as plain broadcasting does."""
    kind = random.random()
    if kind < 0.3:
        return value
    places = axes if kind < 0.6 else sorted(int(dim) for dim in random.choice(rank, len(axes), replace=False))
    if chance(random, 0.5):
        return graph.op("Unsqueeze", value, ints(*places))
    return graph.op("Reshape", value, ints(*(1 if dim in places else SIZE for dim in range(rank))))


def inverse_root(graph: Graph, random: Random, value: str, rank: int) -> str:
    value = graph.op("Add", value, scalar(choose(random, 1e-5, 0.5)))
    if rank > 1 and chance(random, 0.15):
        value = permuted(graph, random, value, rank)
    root = graph.op("Sqrt", value)
    return graph.op("Reciprocal", root) if chance(random, 0.6) else graph.op("Div", scalar(1.0), root)


def split_rows(graph: Graph, value: str, rank: int) -> str:
    """The same elements with the last dim in two, and the first two dims as one: as many elements in each place."""
    return graph.op("Reshape", value, ints(*[SIZE] * rank)) if rank < 2 else graph.op(
        "Reshape", graph.op("Transpose", graph.op("Reshape", value, ints(*[SIZE] * (rank - 1), 2, 2)),
                            perm=[*range(rank - 1), rank, rank - 1]), ints(*[SIZE] * rank))


def rms(graph: Graph, random: Random) -> None:
    rank = choose(random, 2, 2, 3)
    x = graph.input(tensor(random, rank))
    count = choose(random, 1, 1, rank - 1, rank)
    trailing = chance(random, 0.6)
    axes = list(range(rank - count, rank)) if trailing else sorted(int(d) for d in random.choice(rank, count, replace=False))
    keep = chance(random, 0.4)
    average = mean(graph, random, squared(graph, random, x), axes, keep)
    if not keep and chance(random, 0.5):
        average = restored(graph, random, average, axes, rank)
        factor = inverse_root(graph, random, average, 0)
    else:
        factor = inverse_root(graph, random, average, rank if keep else rank - count)
        factor = factor if keep else restored(graph, random, factor, axes, rank)
    if chance(random, 0.2):
        factor = graph.op("Expand", factor, ints(*[SIZE] * rank))
        factor = permuted(graph, random, factor, rank) if chance(random, 0.5) else split_rows(graph, factor, rank)
    normal = product(graph, random, x if chance(random, 0.9) else graph.input(tensor(random, rank)), factor)
    graph.result(scaled(graph, random, normal, rank))
    if chance(random, 0.2):
        graph.result(factor)


def scaled(graph: Graph, random: Random, value: str, rank: int) -> str:
    """Times a scale along any dims; sometimes plus a bias along others."""
    for operator in ["Mul"] * chance(random, 0.8) + ["Add"] * chance(random, 0.4):
        dims = [SIZE if chance(random, 0.6) else 1 for _ in range(int(random.integers(1, rank + 1)))]
        operand = random.standard_normal(dims).astype(np.float32)
        value = graph.op(operator, value, Const(operand) if chance(random, 0.6) else operand)
    return value


def layer_norm(graph: Graph, random: Random) -> None:
    rank = choose(random, 2, 3)
    axis = int(random.integers(rank))
    x = graph.input(tensor(random, rank))
    moved = permuted(graph, random, x, rank) if chance(random, 0.5) else x
    normal = graph.op("LayerNormalization", moved, weight(random, rank - axis), weight(random, rank - axis), axis=axis)
    back = permuted(graph, random, normal, rank) if chance(random, 0.5) else normal
    graph.result(scaled(graph, random, back, rank))


def softmax(graph: Graph, random: Random) -> None:
    rank = choose(random, 2, 3)
    value = graph.input(tensor(random, rank))
    for _ in range(2):
        if chance(random, 0.5):
            value = relaid(graph, random, value)
        value = graph.op("Softmax", graph.op("Reshape", value, ints(*[SIZE] * rank)), axis=int(random.integers(rank)))
    graph.result(permuted(graph, random, value, rank))


def nearly(random: Random, value: float) -> Const:
    """A constant, now and then off by what a careless comparison lets pass."""
    return scalar(value * (1 + choose(random, 0, 0, 0, 0, 0, 1e-3, -1e-3, 0.5)))


def gelu(graph: Graph, random: Random) -> None:
    x = graph.input(3 * tensor(random, 2))
    other = graph.op("Transpose", x, perm=[1, 0]) if chance(random, 0.2) else x
    if chance(random, 0.5):
        inner = graph.op("Erf", product(graph, random, other, nearly(random, math.sqrt(0.5))) if chance(random, 0.5)
                         else graph.op("Div", other, nearly(random, math.sqrt(2))))
    else:
        cube = graph.op("Pow", other, scalar(choose(random, 3.0, 3.0, 3.0, 2.0))) if chance(random, 0.6) else product(
            graph, random, other, other, x)
        polynomial = graph.op("Add", other, product(graph, random, cube, nearly(random, 0.044715)))
        inner = graph.op("Tanh", product(graph, random, polynomial, nearly(random, math.sqrt(2 / math.pi))))
    gate = graph.op("Add", inner, nearly(random, 1.0))
    graph.result(product(graph, random, x, gate, nearly(random, 0.5)))
    if chance(random, 0.2):
        graph.result(gate)


def silu(graph: Graph, random: Random) -> None:
    x = graph.input(tensor(random, 3))
    other = permuted(graph, random, x, 3) if chance(random, 0.4) else x
    graph.result(scaled(graph, random, product(graph, random, graph.op("Sigmoid", other), x), 3))


FACTORS = {64: [[4, 4, 4], [16, 4], [4, 16], [64], [2, 2, 4, 4], [4, 2, 2, 4], [4, 4, 2, 2], [4, 1, 4, 4], [8, 8], [1, 4, 16], [2, 8, 4]],
           16: [[4, 4], [16], [2, 2, 4], [4, 2, 2], [1, 4, 4], [4, 1, 4], [2, 8], [8, 2]]}


def relaid(graph: Graph, random: Random, value: str, elements: int = 0) -> str:
    """The same elements under some shape, transposed there."""
    shape = choose(random, *FACTORS[elements]) if elements else None
    if shape is None:
        return graph.op("Transpose", value)
    return permuted(graph, random, graph.op("Reshape", value, ints(*shape)), len(shape))


def walk(graph: Graph, random: Random) -> None:
    """Reshapes, transposes, products, biases, softmaxes and slices in any order; ends in [4, 4, 4] or [4, 4]."""
    rank = choose(random, 2, 3)
    shape = [SIZE] * rank
    whole = ints(*shape)
    value = start = graph.input(tensor(random, rank))
    for _ in range(int(random.integers(3, 7))):
        step = random.random()
        if step < 0.3:
            value = graph.op("Reshape", relaid(graph, random, value, SIZE ** rank), whole)
        elif step < 0.4:
            value = permuted(graph, random, value, rank)
        elif step < 0.6:
            value = graph.op("MatMul", value, weight(random, 2))
        elif step < 0.7:
            other = permuted(graph, random, start, rank)
            value = graph.op("MatMul", *([value, other] if chance(random, 0.5) else [other, value]))
        elif step < 0.8:
            value = scaled(graph, random, value, rank)
        elif step < 0.88:
            value = graph.op("Softmax", value, axis=int(random.integers(rank)))
        elif step < 0.94:
            value = choose(random, lambda: graph.op("Add", value, start), lambda: graph.op("Mul", value, scalar(0.5)),
                           lambda: graph.op("Relu", value))()
        else:
            value = graph.op("LayerNormalization", value, weight(random, 1), axis=-1)
    graph.result(value)


def fused_projection(graph: Graph, random: Random) -> None:
    """x @ w [+ bias] to three parts along a dim, which meet again in products."""
    x = graph.input(tensor(random, 3))
    value = graph.op("MatMul", x, Const(random.standard_normal([SIZE, 3 * SIZE]).astype(np.float32)))
    if chance(random, 0.7):
        value = graph.op("Add", value, Const(random.standard_normal([3 * SIZE]).astype(np.float32)))
    starts = choose(random, (0, 4, 8), (0, 4, 8), (4, 0, 8), (0, 2, 8), (8, 8, 0))
    parts = [graph.op("Slice", value, ints(start), ints(start + SIZE), ints(2)) for start in starts]
    moved = [permuted(graph, random, part, 3) if chance(random, 0.5) else part for part in parts]
    scores = graph.op("Mul", graph.op("MatMul", moved[0], moved[1]), scalar(choose(random, 0.5, 2.0)))
    weights = graph.op("Softmax", scores, axis=int(random.integers(3)))
    graph.result(permuted(graph, random, graph.op("MatMul", weights, moved[2]), 3))


def broadcasts(graph: Graph, random: Random) -> None:
    """A vector or a square against a cube, by whatever way."""
    value = graph.input(tensor(random, int(random.integers(1, 3))))
    rank = graph.inputs()[value].ndim
    for _ in range(int(random.integers(1, 4))):
        if rank < 3 and chance(random, 0.6):
            value = graph.op("Unsqueeze", value, ints(int(random.integers(rank + 1))))
            rank += 1
        if chance(random, 0.4):
            value = graph.op("Expand", value, ints(*[SIZE] * rank))
        if chance(random, 0.4):
            value = permuted(graph, random, value, rank)
        if chance(random, 0.3):
            value = graph.op("Relu", value)
    cube = graph.input(tensor(random, 3))
    graph.result(graph.op(choose(random, "Mul", "Add", "Sub", "Div"), cube, value))


def drawn(make: Callable[[Graph, Random], None], count: int) -> list[Graph]:
    graphs = []
    for number in range(count):
        graph = Graph(f"{make.__name__}/{number}")
        make(graph, np.random.Generator(np.random.PCG64([number, len(make.__name__)])))
        graphs.append(graph)
    return graphs


def square_rms_along_the_wrong_dim() -> Graph:
    """x[i, j] * r[j] with r of the mean over j: a root-mean-square normalisation but for the direction of the broadcast."""
    graph = Graph("rms/wrong-dim")
    x = graph.input(np.arange(1, 17, dtype=np.float32).reshape(4, 4))
    average = graph.op("ReduceMean", graph.op("Mul", x, x), ints(1), keepdims=0)
    factor = graph.op("Reciprocal", graph.op("Sqrt", graph.op("Add", average, floats(1e-5))))
    graph.result(graph.op("Mul", x, factor))
    return graph


RANKS = (2,)
CASES = [square_rms_along_the_wrong_dim(), *drawn(rms, 40), *drawn(layer_norm, 8), *drawn(softmax, 8), *drawn(gelu, 30),
         *drawn(silu, 6), *drawn(walk, 36), *drawn(fused_projection, 12), *drawn(broadcasts, 12)]
