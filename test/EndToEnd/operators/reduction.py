"""Reductions, softmax and normalisation, with axes as attribute and as operand, and the opsets where the meaning changed."""

import numpy as np

from cases import Const, case, integers, ints, normal, positive

x = normal(5, 7, 3)

CASES = [
    *[case(f"axes-operand/{op}", op, normal(5, 7, 3), ints(1)) for op in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2")],
    *[case(f"axes-attribute/{op}", op, normal(5, 7, 3), axes=[-1], opset=11) for op in ("ReduceMean", "ReduceMax", "ReduceSum", "ReduceL2")],
    *[case(f"no-keepdims/{op}", op, normal(5, 7, 3), ints(0, 2), keepdims=0) for op in ("ReduceMean", "ReduceSum", "ReduceL2")],
    *[case(f"first-axis/{op}", op, normal(5, 7, 3), ints(0)) for op in ("ReduceMean", "ReduceSum", "ReduceMax")],
    *[case(f"all-axes/{op}", op, normal(5, 7, 3)) for op in ("ReduceMean", "ReduceSum", "ReduceMax")],
    case("nothing-to-reduce/ReduceSum", "ReduceSum", normal(5, 7), noop_with_empty_axes=1),
    case("integer/ReduceSum", "ReduceSum", integers(-9, 9, 5, 7), ints(1)),
    case("integer/ReduceMax", "ReduceMax", integers(-9, 9, 5, 7), ints(0)),
    case("long/ReduceSum", "ReduceSum", normal(3, 1000), ints(1)),
    case("softmax-13/last", "Softmax", x, axis=-1, opset=13),
    case("softmax-13/middle", "Softmax", x, axis=1, opset=13),
    case("softmax-13/first", "Softmax", x, axis=0, opset=13),
    case("softmax-13/default", "Softmax", x, opset=13),
    case("softmax-13/large", "Softmax", 100 * normal(5, 7), opset=13),
    case("softmax-13/masked", "Softmax", np.where(normal(5, 7) > 0, np.float32(-3.4e38), normal(5, 7)), opset=13),
    case("softmax-11/default", "Softmax", x, opset=11),
    case("softmax-11/flattened", "Softmax", x, axis=1, opset=11),
    case("softmax-11/last", "Softmax", x, axis=2, opset=11),
    case("layernorm/last", "LayerNormalization", normal(5, 7, 12), Const(normal(12)), Const(normal(12))),
    case("layernorm/no-bias", "LayerNormalization", normal(5, 12), Const(normal(12))),
    case("layernorm/two-axes", "LayerNormalization", normal(5, 7, 12), Const(normal(7, 12)), Const(normal(7, 12)), axis=1),
    case("layernorm/epsilon", "LayerNormalization", 1e-3 * normal(5, 12), normal(12), normal(12), epsilon=1e-3),
    case("layernorm/uneven-width", "LayerNormalization", positive(3, 77), Const(normal(77)), Const(normal(77))),
]
