"""Convolutions and pools: one to three spatial dims, pads, strides, dilations, groups, every way to state padding."""

import numpy as np

from cases import Const, case, integers, normal

plane, pair = normal(2, 4, 9, 11), normal(2, 4, 10, 7)
square, weights = Const(normal(6, 4, 3, 3)), normal(6, 4, 3, 3)


def pools(name: str, x: np.ndarray, **attributes) -> list:
    """One case a pool, of which the average has two meanings of padding."""
    padded = {key: value for key, value in attributes.items() if key != "dilations"}
    return [case(f"{name}/max", "MaxPool", x, **attributes), case(f"{name}/average", "AveragePool", x, **padded),
            case(f"{name}/average-with-pads", "AveragePool", x, count_include_pad=1, **padded)]


CASES = [
    case("conv/plain", "Conv", plane, square),
    case("conv/pads-bias", "Conv", plane, square, Const(normal(6)), pads=[1, 1, 1, 1]),
    case("conv/uneven-pads", "Conv", plane, square, pads=[0, 2, 1, 3]),
    case("conv/strides", "Conv", plane, square, pads=[1, 1, 1, 1], strides=[2, 3]),
    case("conv/dilations", "Conv", plane, square, pads=[2, 2, 2, 2], dilations=[2, 3]),
    case("conv/computed-weight", "Conv", plane, weights, pads=[1, 1, 1, 1]),
    case("conv/one-batch", "Conv", normal(1, 4, 9, 11), square, pads=[1, 1, 1, 1]),
    case("conv/one-dim", "Conv", normal(2, 4, 21), Const(normal(5, 4, 4)), Const(normal(5)), pads=[2, 1]),
    case("conv/three-dims", "Conv", normal(2, 2, 5, 6, 7), Const(normal(3, 2, 3, 2, 3)), pads=[1, 0, 1, 1, 1, 1]),
    case("conv/pointwise", "Conv", plane, Const(normal(6, 4, 1, 1))),
    case("conv/pointwise-strided", "Conv", plane, Const(normal(6, 4, 1, 1)), strides=[2, 2]),
    case("conv/pointwise-padded", "Conv", plane, Const(normal(6, 4, 1, 1)), Const(normal(6)), pads=[1, 0, 0, 1]),
    case("conv/patches", "Conv", plane, Const(normal(6, 4, 3, 2)), strides=[3, 2]),
    case("conv/gaps", "Conv", plane, Const(normal(6, 4, 2, 2)), strides=[3, 4]),
    case("conv/groups", "Conv", plane, Const(normal(6, 2, 3, 3)), Const(normal(6)), group=2, pads=[1, 1, 1, 1]),
    case("conv/group-patches", "Conv", plane, Const(normal(6, 2, 2, 2)), group=2, strides=[2, 2]),
    case("conv/depthwise", "Conv", plane, Const(normal(4, 1, 3, 3)), Const(normal(4)), group=4, pads=[1, 1, 1, 1]),
    case("conv/depthwise-strided", "Conv", plane, Const(normal(4, 1, 3, 3)), group=4, strides=[2, 2], pads=[1, 1, 0, 0]),
    case("conv/depthwise-multiplied", "Conv", plane, Const(normal(12, 1, 3, 3)), group=4, pads=[1, 1, 1, 1]),
    case("conv/depthwise-pointwise", "Conv", plane, Const(normal(4, 1, 1, 1)), group=4),
    *[case(f"conv/{how.lower()}", "Conv", plane, square, auto_pad=how, strides=[2, 2]) for how in ("SAME_UPPER", "SAME_LOWER", "VALID")],
    case("transposed/plain", "ConvTranspose", plane, Const(normal(4, 6, 3, 3))),
    case("transposed/strides", "ConvTranspose", plane, Const(normal(4, 6, 3, 3)), Const(normal(6)), strides=[2, 3], pads=[1, 1, 1, 1]),
    case("transposed/large-pads", "ConvTranspose", plane, Const(normal(4, 6, 2, 3)), strides=[2, 2], pads=[2, 3, 1, 4]),
    case("transposed/output-padding", "ConvTranspose", plane, Const(normal(4, 6, 3, 3)), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
    case("transposed/output-shape", "ConvTranspose", plane, Const(normal(4, 6, 3, 3)), strides=[2, 2], output_shape=[17, 22]),
    case("transposed/dilations", "ConvTranspose", plane, Const(normal(4, 6, 3, 3)), dilations=[2, 2]),
    case("transposed/groups", "ConvTranspose", plane, Const(normal(4, 3, 3, 3)), group=2, strides=[2, 2]),
    case("transposed/depthwise", "ConvTranspose", plane, Const(normal(4, 1, 4, 4)), group=4, strides=[2, 2], pads=[1, 1, 1, 1]),
    case("transposed/one-dim", "ConvTranspose", normal(2, 4, 9), Const(normal(4, 3, 5)), strides=[4]),
    case("transposed/same-upper", "ConvTranspose", plane, Const(normal(4, 6, 3, 3)), strides=[2, 2], auto_pad="SAME_UPPER"),
    *pools("pool/pads", pair, kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    *pools("pool/strides", pair, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    *pools("pool/divided", pair, kernel_shape=[2, 7], strides=[2, 7]),
    *pools("pool/ceil", pair, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
    *pools("pool/ceil-pads", pair, kernel_shape=[3, 3], strides=[3, 2], pads=[1, 1, 1, 1], ceil_mode=1),
    *pools("pool/same", pair, kernel_shape=[3, 2], strides=[2, 2], auto_pad="SAME_UPPER"),
    *pools("pool/one-dim", normal(2, 3, 12), kernel_shape=[4], strides=[2]),
    *pools("pool/three-dims", normal(2, 3, 5, 6, 7), kernel_shape=[2, 3, 2], pads=[1, 1, 0, 0, 1, 1]),
    case("pool/dilated/max", "MaxPool", pair, kernel_shape=[3, 3], dilations=[2, 2], pads=[1, 1, 1, 1]),
    case("pool/dilated/average", "AveragePool", pair, kernel_shape=[3, 3], dilations=[2, 2], pads=[1, 1, 1, 1], opset=19),
    case("pool/integers/max", "MaxPool", integers(-100, 100, 2, 3, 6, 6, dtype=np.int8), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    case("pool/euclid", "LpPool", pair, kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    case("pool/sum", "LpPool", pair, kernel_shape=[3, 3], p=1, strides=[2, 2]),
    case("pool/cubes", "LpPool", pair, kernel_shape=[2, 2], p=3),
    case("global/lp", "GlobalLpPool", pair),
    case("global/average", "GlobalAveragePool", pair),
    case("global/max", "GlobalMaxPool", pair),
]
