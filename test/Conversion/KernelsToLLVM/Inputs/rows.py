import sys

import numpy as np
from kernels import Case, check, from_bf16, tensor, to_bf16

random = np.random.default_rng(2)


def floats(*shape, dtype="float32", scale=2.0):
    return (random.standard_normal(shape) * scale).astype(dtype)


def softmax(x, axis=-1):
    e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    return (e / e.sum(axis, keepdims=True)).astype(x.dtype)


def normalize(x, first, form, scale=None, bias=None, epsilon=1e-5):
    axes = tuple(range(first, x.ndim))
    y = x.astype(np.float64)
    if form == "layer":
        y = y - y.mean(axes, keepdims=True)
    y = y / np.sqrt((y * y).mean(axes, keepdims=True) + epsilon)
    y = y * (1 if scale is None else scale) + (0 if bias is None else bias)
    return y.astype(x.dtype)


REDUCTIONS = {"sum": np.sum, "product": np.prod, "max": np.max, "min": np.min}


def reductions():
    shapes = [((4, 33), (1,)), ((4, 33), (0,)), ((3, 5, 7), (0, 2)), ((3, 5, 7), (1,)), ((3, 5, 7), (1, 2)), ((3, 5, 7), (0, 1, 2)),
              ((6, 1), (1,)), ((1, 6), (0,)), ((129,), (0,)), ((2, 3, 4, 5), (0, 2)), ((2, 3, 4, 5), (1, 3))]
    for shape, dims in shapes:
        for name, function in REDUCTIONS.items():
            for dtype in ("float32", "int32"):
                x = floats(*shape, dtype=dtype) if dtype[0] == "f" else random.integers(-3, 4, shape).astype(dtype)
                expected = np.asarray(function(x.astype(np.float64 if dtype[0] == "f" else dtype), axis=dims)).astype(dtype)
                yield Case(f"reduce {name} {dtype} {shape} {dims}",
                           f"%r = froe.reduce {name} %a dims [{', '.join(map(str, dims))}] : {tensor(x)} -> {tensor(expected)}",
                           [x], [expected], tolerance=1e-5)
    for dtype in ("int8", "uint8", "int64", "uint32", "float64", "float16"):
        x = (random.random((5, 17)) * 9).astype(dtype)
        for name in ("max", "min", "sum"):
            expected = REDUCTIONS[name](x.astype("float64") if dtype == "float16" else x, axis=1).astype(dtype)
            yield Case(f"reduce {name} {dtype}", f"%r = froe.reduce {name} %a dims [1] : {tensor(x)} -> {tensor(expected)}", [x],
                       [expected])
    flags = random.random((5, 9)) > 0.3
    for name, function in (("and", np.all), ("or", np.any), ("sum", np.any), ("product", np.all), ("max", np.any)):
        expected = function(flags, axis=1)
        yield Case(f"reduce {name} i1", f"%r = froe.reduce {name} %a dims [1] : {tensor(flags)} -> {tensor(expected)}", [flags], [expected])
    x = floats(3, 50)
    x[1, 7] = np.nan
    for name in ("max", "min"):
        yield Case(f"reduce {name} nan", f"%r = froe.reduce {name} %a dims [1] : {tensor(x)} -> tensor<3xf32>", [x],
                   [REDUCTIONS[name](x, axis=1)])
        yield Case(f"reduce {name} nan rows", f"%r = froe.reduce {name} %a dims [0] : {tensor(x)} -> tensor<50xf32>", [x],
                   [REDUCTIONS[name](x, axis=0)])
    ints = np.array([[5, -7, 2], [1, 2, 3]], np.int32)
    for name, function in (("and", np.bitwise_and), ("or", np.bitwise_or)):
        yield Case(f"reduce {name} i32", f"%r = froe.reduce {name} %a dims [1] : {tensor(ints)} -> tensor<2xi32>", [ints],
                   [function.reduce(ints, axis=1)])
    many = floats(70000, 2)
    yield Case("long rows", "%r = froe.reduce sum %a dims [0] : tensor<70000x2xf32> -> tensor<2xf32>", [many],
               [many.astype(np.float64).sum(0).astype(np.float32)], tolerance=1e-3)


def softmaxes():
    for shape, dim in (((4, 128), 1), ((3, 5), 1), ((2, 3, 7), 2), ((2, 3, 7), 1), ((2, 9), 0), ((11,), 0), ((5, 1), 1), ((2, 70001), 1)):
        x = floats(*shape)
        yield Case(f"softmax {shape} {dim}", f"%r = froe.softmax %a dim {dim} : {tensor(x)}", [x], [softmax(x, dim)], tolerance=5e-6)
    for dtype in ("float64", "float16"):
        x = floats(4, 40, dtype=dtype)
        yield Case(f"softmax {dtype}", f"%r = froe.softmax %a dim 1 : {tensor(x)}", [x], [softmax(x)])
    bits = to_bf16(floats(3, 20))
    yield Case("softmax bf16", f"%r = froe.softmax %a dim 1 : {tensor(bits)}", [bits], [to_bf16(softmax(from_bf16(bits)))])
    x = floats(4, 30)
    x[0], x[1, 3], x[2, 4], x[3, ::2] = -np.inf, np.nan, np.inf, -np.inf
    yield Case("softmax special", f"%r = froe.softmax %a dim 1 : {tensor(x)}", [x], [softmax(x)])
    x = floats(2, 30) - 2000
    yield Case("softmax far", f"%r = froe.softmax %a dim 1 : {tensor(x)}", [x], [softmax(x)], tolerance=1e-5)


def normalizations():
    for form in ("layer", "rms"):
        for shape, first in (((6, 96), 1), ((2, 3, 40), 2), ((2, 3, 8, 5), 2), ((7,), 0), ((4, 1), 1)):
            x = floats(*shape) + 1
            scale, bias = floats(*shape[first:]), floats(*shape[first:])
            t, s = tensor(x), tensor(scale)
            if form == "layer":
                yield Case(f"normalize {form} {shape}", f"%r = froe.normalize {form} %a from {first} scale(%b : {s}) bias(%c : {s}) "
                           f"epsilon 1.000000e-05 : {t}", [x, scale, bias], [normalize(x, first, form, scale, bias)], tolerance=1e-5)
            yield Case(f"normalize {form} {shape} scale", f"%r = froe.normalize {form} %a from {first} scale(%b : {s}) "
                       f"epsilon 1.000000e-05 : {t}", [x, scale], [normalize(x, first, form, scale)], tolerance=1e-5)
            yield Case(f"normalize {form} {shape} plain", f"%r = froe.normalize {form} %a from {first} epsilon 1.000000e-05 : {t}",
                       [x], [normalize(x, first, form)], tolerance=1e-5)
    x = floats(3, 64, dtype="float16")
    yield Case("normalize f16", f"%r = froe.normalize layer %a from 1 epsilon 1.000000e-05 : {tensor(x)}", [x],
               [normalize(x, 1, "layer")], tolerance=2e-3)
    x = floats(3, 100) + 1000
    yield Case("normalize far", f"%r = froe.normalize layer %a from 1 epsilon 1.000000e-05 : {tensor(x)}", [x],
               [normalize(x, 1, "layer")], tolerance=2e-4)


def fused():
    scores, mask = floats(2, 3, 8, 16), np.where(random.random((2, 1, 1, 16)) > 0.3, 0, -10000).astype(np.float32)
    yield Case("attention", """
        %k = froe.constant dense<0.125> : tensor<f32>
        %kb = froe.broadcast %k dims [] : tensor<f32> -> tensor<2x3x8x16xf32>
        %s = froe.mul %a, %kb : tensor<2x3x8x16xf32>
        %mb = froe.broadcast %b dims [0, 1, 2, 3] : tensor<2x1x1x16xf32> -> tensor<2x3x8x16xf32>
        %m = froe.add %s, %mb : tensor<2x3x8x16xf32>
        %p = froe.softmax %m dim 3 : tensor<2x3x8x16xf32>
        %n = froe.is_nan %p : tensor<2x3x8x16xf32> -> tensor<2x3x8x16xi1>
        %z = froe.constant dense<0.0> : tensor<2x3x8x16xf32>
        %r = froe.select %n, %z, %p : tensor<2x3x8x16xi1>, tensor<2x3x8x16xf32>""",
               [scores, mask], [softmax(scores / 8 + mask)])
    x, y, scale, bias = floats(2, 5, 32), floats(2, 5, 32), floats(32), floats(32)
    t = "tensor<2x5x32xf32>"
    yield Case("residual", f"""
        %s = froe.add %a, %b : {t}
        %n = froe.normalize layer %s from 2 scale(%c : tensor<32xf32>) bias(%d : tensor<32xf32>) epsilon 1.000000e-12 : {t}
        %t = froe.tanh %n : {t}
        %r = froe.add %s, %t : {t}""", [x, y, scale, bias],
               [x + y, x + y + np.tanh(normalize(x + y, 2, "layer", scale, bias, 1e-12))], results=("s", "r"), tolerance=1e-5)
    mean = (x.sum(2, keepdims=True) / 32).astype(np.float32)
    spelled = (x - mean) / np.sqrt(((x - mean) ** 2).sum(2, keepdims=True) / 32 + 1e-5) * scale + bias
    yield Case("spelled out", f"""
        %i = froe.constant dense<0.03125> : tensor<2x5x1xf32>
        %e = froe.constant dense<1.0e-5> : tensor<2x5x1xf32>
        %s = froe.reduce sum %a dims [2] : {t} -> tensor<2x5xf32>
        %s1 = rank.view %s : tensor<2x5xf32> -> tensor<2x5x1xf32>
        %m = froe.mul %s1, %i : tensor<2x5x1xf32>
        %mb = froe.broadcast %m dims [0, 1, 2] : tensor<2x5x1xf32> -> {t}
        %x = froe.sub %a, %mb : {t}
        %q = froe.mul %x, %x : {t}
        %v = froe.reduce sum %q dims [2] : {t} -> tensor<2x5xf32>
        %v1 = rank.view %v : tensor<2x5xf32> -> tensor<2x5x1xf32>
        %vm = froe.mul %v1, %i : tensor<2x5x1xf32>
        %ve = froe.add %vm, %e : tensor<2x5x1xf32>
        %vs = froe.sqrt %ve : tensor<2x5x1xf32>
        %vb = froe.broadcast %vs dims [0, 1, 2] : tensor<2x5x1xf32> -> {t}
        %y = froe.div %x, %vb : {t}
        %cb = froe.broadcast %b dims [2] : tensor<32xf32> -> {t}
        %db = froe.broadcast %c dims [2] : tensor<32xf32> -> {t}
        %z = froe.mul %y, %cb : {t}
        %r = froe.add %z, %db : {t}""", [x, scale, bias], [spelled.astype(np.float32)], tolerance=1e-5)
    table, positions, types = floats(50, 24), floats(40, 24), floats(2, 24)
    ids, kinds = random.integers(-50, 50, (2, 6)), random.integers(0, 2, (2, 6))
    gamma = floats(24)
    yield Case("embedding", """
        %w = froe.gather %a, %b dim 0 : tensor<50x24xf32>, tensor<2x6xi64> -> tensor<2x6x24xf32>
        %k = froe.gather %c, %d dim 0 : tensor<2x24xf32>, tensor<2x6xi64> -> tensor<2x6x24xf32>
        %ps = froe.slice %e starts [2, 0] strides [1, 1] : tensor<40x24xf32> -> tensor<6x24xf32>
        %pb = froe.broadcast %ps dims [1, 2] : tensor<6x24xf32> -> tensor<2x6x24xf32>
        %s = froe.add %w, %k : tensor<2x6x24xf32>
        %u = froe.add %s, %pb : tensor<2x6x24xf32>
        %r = froe.normalize layer %u from 2 scale(%f : tensor<24xf32>) epsilon 1.000000e-12 : tensor<2x6x24xf32>""",
               [table, ids, types, kinds, positions, gamma],
               [normalize(table[ids] + types[kinds] + positions[2:8], 2, "layer", gamma, None, 1e-12)], tolerance=1e-5)
    x = floats(4, 6, 10)
    yield Case("mean of middle", """
        %s = froe.reduce sum %a dims [1] : tensor<4x6x10xf32> -> tensor<4x10xf32>
        %k = froe.constant dense<2.0> : tensor<4x10xf32>
        %r = froe.mul %s, %k : tensor<4x10xf32>""", [x], [(x.astype(np.float64).sum(1) * 2).astype(np.float32)],
               tolerance=1e-5)
    yield Case("norm of rows", """
        %q = froe.mul %a, %a : tensor<4x6x10xf32>
        %s = froe.reduce sum %q dims [2] : tensor<4x6x10xf32> -> tensor<4x6xf32>
        %r = froe.sqrt %s : tensor<4x6xf32>""", [x], [np.sqrt((x.astype(np.float64) ** 2).sum(2)).astype(np.float32)])
    yield Case("softmax of transposed", """
        %t = froe.transpose %a [0, 2, 1] : tensor<4x6x10xf32> -> tensor<4x10x6xf32>
        %p = froe.softmax %t dim 2 : tensor<4x10x6xf32>
        %r = froe.transpose %p [0, 2, 1] : tensor<4x10x6xf32> -> tensor<4x6x10xf32>""", [x], [softmax(x, 1)])
    one = floats(1, 40)
    yield Case("one row", """
        %q = froe.mul %a, %a : tensor<1x40xf32>
        %s = froe.reduce sum %q dims [1] : tensor<1x40xf32> -> tensor<1xf32>
        %v = rank.view %s : tensor<1xf32> -> tensor<1x1xf32>
        %n = froe.sqrt %v : tensor<1x1xf32>
        %b = froe.broadcast %n dims [0, 1] : tensor<1x1xf32> -> tensor<1x40xf32>
        %r = froe.div %a, %b : tensor<1x40xf32>""", [one], [one / np.sqrt((one.astype(np.float64) ** 2).sum()).astype(np.float32)],
               )
    yield Case("exp twice", """
        %e = froe.exp %a : tensor<4x6x10xf32>
        %m = froe.reduce max %e dims [2] : tensor<4x6x10xf32> -> tensor<4x6xf32>
        %b = froe.broadcast %m dims [0, 1] : tensor<4x6xf32> -> tensor<4x6x10xf32>
        %r = froe.div %e, %b : tensor<4x6x10xf32>""", [x], [np.exp(x) / np.exp(x).max(2, keepdims=True)])


FAMILIES = {"reductions": reductions, "softmaxes": softmaxes, "normalizations": normalizations, "fused": fused}
with np.errstate(all="ignore"):
    check([case for family in (FAMILIES if sys.argv[1] == "all" else [sys.argv[1]]) for case in FAMILIES[family]()], sys.argv[2])
