import sys

import numpy as np
from kernels import Case, check, tensor

random = np.random.default_rng(3)


def floats(*shape, dtype="float32"):
    return (random.standard_normal(shape) * 4).astype(dtype)


def attr(values):
    return "[" + ", ".join(map(str, values)) + "]"


def layout():
    x = floats(2, 3, 4, 5)
    for order in ((0, 1, 3, 2), (3, 2, 1, 0), (0, 2, 1, 3), (1, 0, 2, 3), (0, 1, 2, 3)):
        out = np.ascontiguousarray(x.transpose(order))
        yield Case(f"transpose {order}", f"%r = froe.transpose %a {attr(order)} : {tensor(x)} -> {tensor(out)}", [x], [out])
    for dtype in ("int8", "int64", "bool", "float16", "uint16"):
        y = floats(3, 4, dtype="float32").astype(dtype)
        out = np.ascontiguousarray(y.T)
        yield Case(f"transpose {dtype}", f"%r = froe.transpose %a [1, 0] : {tensor(y)} -> {tensor(out)}", [y], [out])
    for shape, dims, target in (((5,), (1,), (3, 5)), ((3,), (0,), (3, 5)), ((3, 1), (0, 1), (3, 5)), ((), (), (2, 3)),
                                ((2, 1, 4), (0, 1, 3), (2, 3, 2, 4)), ((1, 1), (0, 1), (4, 6))):
        y = floats(*shape) if shape else np.array(3.5, np.float32)
        expanded = y.reshape([shape[dims.index(i)] if i in dims else 1 for i in range(len(target))])
        out = np.ascontiguousarray(np.broadcast_to(expanded, target))
        yield Case(f"broadcast {shape} {target}", f"%r = froe.broadcast %a dims {attr(dims)} : {tensor(y)} -> {tensor(out)}", [y], [out])
    for dim in range(3):
        parts = [floats(*[size if i == dim else 4 for i in range(3)]) for size in (3, 1, 5)]
        out = np.concatenate(parts, dim)
        yield Case(f"concat {dim}", f"%r = froe.concat %a, %b, %c dim {dim} : {', '.join(map(tensor, parts))} -> {tensor(out)}", parts, [out])
    many = [floats(2, 3) for _ in range(8)]
    out = np.concatenate(many, 1)
    yield Case("concat of 8", f"%r = froe.concat {', '.join('%' + c for c in 'abcdefgh')} dim 1 : {', '.join(map(tensor, many))} -> {tensor(out)}",
               many, [out])
    y = floats(6, 8)
    for starts, strides, out in (((0, 6), (1, -2), y[:, 6::-2][:, :3]), ((2, 1), (1, 1), y[2:5, 1:7]), ((5, 0), (-1, 3), y[::-1, ::3])):
        out = np.ascontiguousarray(out)
        yield Case(f"slice {starts} {strides}", f"%r = froe.slice %a starts {attr(starts)} strides {attr(strides)} : {tensor(y)} -> {tensor(out)}",
                   [y], [out])
    for low, high in (((0, 1), (0, 1)), ((2, 0), (1, 3)), ((1, 2), (3, 4))):
        out = np.pad(y, list(zip(low, high)), constant_values=1.5)
        yield Case(f"pad {low} {high}", f"%r = froe.pad %a low {attr(low)} high {attr(high)} with 1.500000e+00 : f32 : {tensor(y)} -> {tensor(out)}",
                   [y], [out])
    for shape, dim in (((4, 8), 1), ((4, 8), 0), ((3,), 0)):
        for dtype in ("int64", "int32", "float32"):
            out = np.ascontiguousarray(np.broadcast_to(np.arange(shape[dim]).reshape([-1 if i == dim else 1 for i in range(len(shape))]), shape)).astype(dtype)
            yield Case(f"iota {shape} {dtype}", f"%r = froe.iota dim {dim} : {tensor(out)}", [], [out])
    z = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    w = floats(2, 3)
    yield Case("constant", "%k = froe.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n%r = froe.add %a, %k : tensor<2x3xf32>",
               [w], [w + z])
    flags = np.array([True, False, True])
    yield Case("constant i1", "%k = froe.constant dense<[true, false, true]> : tensor<3xi1>\n%r = froe.xor %a, %k : tensor<3xi1>",
               [flags], [np.zeros(3, bool)])


def gathers():
    x = floats(5, 6, 7)
    for dim in range(3):
        for shape in ((), (4,), (2, 3)):
            for dtype in ("int64", "int32"):
                i = np.asarray(random.integers(-5, 5, shape)).astype(dtype)
                out = np.ascontiguousarray(np.take(x, i, dim))
                yield Case(f"gather {dim} {shape} {dtype}", f"%r = froe.gather %a, %b dim {dim} : {tensor(x)}, {tensor(i)} -> {tensor(out)}", [x, i], [out])
    for index in (5, -6, 2**40):
        i = np.array([0, index, 1])
        out = np.zeros((3, 6, 7), np.float32)
        yield Case(f"gather outside {index}", f"%r = froe.gather %a, %b dim 0 : {tensor(x)}, {tensor(i)} -> {tensor(out)}", [x, i], [out], fault=1)
    i = np.stack([random.integers(-5, 5, (2, 3)), random.integers(0, 6, (2, 3))], -1)
    out = x[i[..., 0], i[..., 1]]
    yield Case("gather_nd", f"%r = froe.gather_nd %a, %b batch_dims 0 : {tensor(x)}, {tensor(i)} -> {tensor(out)}", [x, i], [out])
    i = random.integers(0, 6, (5, 4, 1))
    out = np.ascontiguousarray(np.stack([x[b][i[b, :, 0]] for b in range(5)]))
    yield Case("gather_nd batch", f"%r = froe.gather_nd %a, %b batch_dims 1 : {tensor(x)}, {tensor(i)} -> {tensor(out)}", [x, i], [out])
    i = np.array([[0, 9]])
    yield Case("gather_nd outside", f"%r = froe.gather_nd %a, %b batch_dims 0 : {tensor(x)}, {tensor(i)} -> tensor<1x7xf32>", [x, i],
               [np.zeros((1, 7), np.float32)], fault=1)


def fused():
    x, cos, sin = floats(2, 3, 4, 16), floats(4, 16), floats(4, 16)
    t, h, u = "tensor<2x3x4x16xf32>", "tensor<2x3x4x8xf32>", "tensor<4x16xf32>"
    rotated = np.concatenate([-x[..., 8:], x[..., :8]], -1)
    yield Case("rotary", f"""
        %x1 = froe.slice %a starts [0, 0, 0, 0] strides [1, 1, 1, 1] : {t} -> {h}
        %x2 = froe.slice %a starts [0, 0, 0, 8] strides [1, 1, 1, 1] : {t} -> {h}
        %n = froe.neg %x2 : {h}
        %rot = froe.concat %n, %x1 dim 3 : {h}, {h} -> {t}
        %cb = froe.broadcast %b dims [2, 3] : {u} -> {t}
        %sb = froe.broadcast %c dims [2, 3] : {u} -> {t}
        %m = froe.mul %a, %cb : {t}
        %q = froe.mul %rot, %sb : {t}
        %r = froe.add %m, %q : {t}""", [x, cos, sin], [x * cos + rotated * sin])
    y = floats(4, 6)
    yield Case("views inside", """
        %e = froe.exp %a : tensor<4x6xf32>
        %v = rank.view %e : tensor<4x6xf32> -> tensor<2x12xf32>
        %w = froe.neg %v : tensor<2x12xf32>
        %r = rank.view %w : tensor<2x12xf32> -> tensor<24xf32>""", [y], [-np.exp(y).reshape(24)])
    yield Case("view between", """
        %e = froe.add %a, %a : tensor<4x6xf32>
        %v = rank.view %e : tensor<4x6xf32> -> tensor<3x8xf32>
        %t = froe.transpose %v [1, 0] : tensor<3x8xf32> -> tensor<8x3xf32>
        %r = froe.neg %t : tensor<8x3xf32>""", [y], [np.ascontiguousarray(-(y + y).reshape(3, 8).T)])
    yield Case("argument as result", "%r = rank.view %a : tensor<4x6xf32> -> tensor<24xf32>", [y], [y.reshape(24)])
    yield Case("result twice", "%r = froe.neg %a : tensor<4x6xf32>", [y], [-y, -y], results=("r", "r"))
    yield Case("constant as result", "%r = froe.constant dense<2.0> : tensor<3xf32>", [], [np.full(3, 2, np.float32)])
    z = floats(4, 6)
    yield Case("several results", """
        %s = froe.add %a, %b : tensor<4x6xf32>
        %t = froe.exp %s : tensor<4x6xf32>
        %u = froe.mul %t, %s : tensor<4x6xf32>""", [y, z], [y + z, np.exp(y + z), np.exp(y + z) * (y + z)], results=("s", "t", "u"))
    yield Case("pad of reduce", """
        %s = froe.reduce sum %a dims [1] : tensor<4x6xf32> -> tensor<4xf32>
        %r = froe.pad %s low [1] high [2] with 0.000000e+00 : f32 : tensor<4xf32> -> tensor<7xf32>""", [y],
               [np.pad(y.astype(np.float64).sum(1), (1, 2)).astype(np.float32)], tolerance=1e-5)
    empty = np.zeros((0, 6), np.float32)
    yield Case("no elements", "%r = froe.neg %a : tensor<0x6xf32>", [empty], [empty])
    yield Case("sum of none", "%r = froe.reduce sum %a dims [0] : tensor<0x6xf32> -> tensor<6xf32>", [empty], [np.zeros(6, np.float32)])


FAMILIES = {"layout": layout, "gathers": gathers, "fused": fused}
with np.errstate(all="ignore"):
    check([case for family in (FAMILIES if sys.argv[1] == "all" else [sys.argv[1]]) for case in FAMILIES[family]()], sys.argv[2])
