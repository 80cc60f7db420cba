"""Attentions of all types, lengths, masks and layouts as one kernel each.

    SIMT=libfroe_simt.so attention.py STEM
"""

import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(__file__), "../../KernelsToLLVM/Inputs"))
from kernels import Case, check, from_bf16, tensor, to_bf16

random = np.random.default_rng(11)
ROUND = {"f32": lambda array: array.astype(np.float32), "f16": lambda array: array.astype(np.float16), "bf16": to_bf16}
TOLERANCES = {"f32": 3e-5, "f16": 2e-3, "bf16": 2e-2}  # of the result's largest element


def wide(array):
    return (from_bf16(array) if array.dtype == np.uint16 else array).astype(np.float64)


def stored(array, element):
    """As the type holds it, and its values."""
    array = ROUND[element](array)
    return array, wide(array)


def apply_posts(scores, letters, posts, element):
    """The scores behind posts, their operands, and the posts' text."""
    operands, texts = [], []
    for kind, operand in posts:
        if kind == "scale":
            texts.append(f"#rank.post<scale by {operand:e} : f32>")
            scores = scores * operand
            continue
        kind, along = kind.split()
        array, values = stored(operand, element)
        operands.append(array)
        texts.append(f'#rank.post<{kind} along "{along}">')
        values = values.reshape([size if letter in along else 1 for letter, size in zip(letters, scores.shape)])
        scores = scores + values if kind == "add" else scores * values
    return scores, operands, ", ".join(texts)


class Attention(Case):
    """Subscripts of both products; the operands of the first one; posts of the scores: ("scale", factor), ("add LETTERS", array), ("mul LETTERS",
    array); whether NaN behind the softmax count as zeros."""

    def __init__(self, name, element, first, second, left, right, value, posts=(), zeros=False):
        letters = first.split("->")[1]
        arrays, values = zip(*(stored(array, element) for array in (left, right, value)))
        scores, operands, post_text = apply_posts(np.einsum(first, *values[:2]), letters, posts, element)
        probabilities = np.exp(scores - scores.max(-1, keepdims=True))
        probabilities /= probabilities.sum(-1, keepdims=True)
        if zeros:
            probabilities = np.where(np.isnan(probabilities), 0, probabilities)
        in_order = 1 if second.split(",")[0] == letters else -1
        result = np.einsum(second, *[probabilities, values[2]][::in_order])
        largest = np.max(np.abs(result), where=np.isfinite(result), initial=0)
        super().__init__(f"{name} {element}", "", [*arrays, *operands], [ROUND[element](result)], tolerance=TOLERANCES[element],
                         absolute=TOLERANCES[element] * largest)
        shape, types = tensor(ROUND[element](scores)), [tensor(array) for array in self.inputs]
        names = ", ".join("%" + letter for letter in "defgh"[:len(operands)])
        lines = [f'%s = rank.matmul "{first}" %a, %b posts [{post_text}]({names}) : ({", ".join(types[:2] + types[3:])}) -> {shape}',
                 f"%p = froe.softmax %s dim {scores.ndim - 1} : {shape}"]
        if zeros:
            flags = shape.replace(shape.rsplit("x", 1)[1], "i1>")
            lines += [f"%n = froe.is_nan %p : {shape} -> {flags}", f"%z = froe.constant dense<0.0> : {shape}",
                      f"%q = froe.select %n, %z, %p : {flags}, {shape}"]
        factors = ["%q" if zeros else "%p", "%c"][::in_order]
        lines.append(f'%r = rank.matmul "{second}" {", ".join(factors)} posts []() : '
                     f'({", ".join([shape, types[2]][::in_order])}) -> {tensor(self.expected[0])}')
        self.body = "\n".join(lines)


def normal(*shape):
    return random.standard_normal(shape)


def causal(rows, keys, nothing=-np.inf):
    return np.where(np.tri(rows, keys, keys - rows, dtype=bool), 0, nothing)


def plain(name, element, batch, rows, keys, head, value_head=None, posts=(("scale", 0.125),), zeros=False):
    return Attention(name, element, "bxd,byd->bxy", "bxy,byd->bxd", normal(batch, rows, head), normal(batch, keys, head),
                     normal(batch, keys, value_head or head), posts, zeros)


def cases_of(element):
    for rows, keys in ((1, 1), (1, 200), (7, 9), (64, 64), (65, 63), (130, 129)):
        yield plain(f"{rows} rows, {keys} keys", element, 2, rows, keys, 32)
    for head, value_head in ((16, 16), (64, 64), (128, 128), (64, 32), (32, 128), (48, 80)):
        yield plain(f"rows of {head} and {value_head}", element, 1, 70, 70, head, value_head)
    if element == "f32":
        yield plain("rows of 4 and 8", element, 3, 9, 40, 4, 8)
    yield plain("no posts", element, 2, 20, 20, 32, posts=())
    yield plain("causal", element, 2, 70, 70, 32, posts=(("scale", 0.3), ("add xy", causal(70, 70))))
    yield plain("causal, finite", element, 2, 70, 70, 32, posts=(("add xy", causal(70, 70, -30000.0)),))
    yield plain("masked keys", element, 3, 17, 90, 32, posts=(("scale", 0.3), ("add by", np.where(random.random((3, 90)) < 0.5, 0, -np.inf)),))
    yield plain("factors", element, 2, 33, 35, 16, posts=(("mul bxy", normal(2, 33, 35)), ("scale", 0.5), ("add y", normal(35)), ("add x", normal(33))))
    nothing = np.where(random.random((2, 20, 70)) < 0.7, 0, -np.inf)
    nothing[0, 3] = nothing[1, 17:] = -np.inf
    for zeros in (False, True):
        yield plain(f"rows without keys, {'zeros' if zeros else 'NaN'}", element, 2, 20, 70, 16, posts=(("add bxy", nothing),), zeros=zeros)
    strange = np.zeros((2, 20, 70))
    strange[0, 4, 66], strange[0, 5, 1], strange[1, 6, 3] = np.nan, np.inf, np.nan
    for zeros in (False, True):
        yield plain(f"strange scores, {'zeros' if zeros else 'NaN'}", element, 2, 20, 70, 16, posts=(("add bxy", strange),), zeros=zeros)
    yield plain("large scores", element, 1, 40, 70, 16, posts=(("scale", 20.0),))
    q, k, v = normal(2, 11, 6, 32), normal(2, 75, 3, 32), normal(2, 75, 3, 32)  # [batch, length, heads, size]
    yield Attention("heads inside", element, "bxhd,byhd->bhxy", "bhxy,byhd->bxhd", q[:, :, :3], k, v, (("scale", 0.2), ("add xy", normal(11, 75))))
    grouped = q.reshape(2, 11, 3, 2, 32)
    yield Attention("grouped heads inside", element, "bxhgd,byhd->bhgxy", "bhgxy,byhd->bxhgd", grouped, k, v, (("scale", 0.2), ("add gy", normal(2, 75))))
    yield Attention("grouped heads outside", element, "bhgxd,bhyd->bhgxy", "bhgxy,bhyd->bhgxd", normal(1, 2, 3, 40, 16), normal(1, 2, 50, 16),
                    normal(1, 2, 50, 16), (("add bxy", normal(1, 40, 50)),))
    yield Attention("key and value first", element, "byd,bxd->bxy", "byd,bxy->bxd", normal(2, 70, 16), normal(2, 33, 16), normal(2, 70, 16), (("scale", 0.5),))
    yield Attention("no batch", element, "xd,yd->xy", "xy,yd->xd", normal(33, 16), normal(70, 16), normal(70, 16), (("scale", 0.5),))


with np.errstate(all="ignore"):
    cases = [case for element in ("f32", "f16", "bf16") for case in cases_of(element)]
check(cases, sys.argv[1], ["--fuse-attention", "--form-kernels"])
