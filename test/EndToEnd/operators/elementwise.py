"""Elementwise operators: values at the edges, broadcasting, integer types."""

import numpy as np

from cases import booleans, case, floats, integers, normal, positive, scalar

x = normal(5, 7, 3)
SPECIAL = np.array([[0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, -1e30]] * 5, np.float32)

CASES = [
    *[case(f"unary/{op}", op, normal(5, 7, 3)) for op in
      ("Abs", "Neg", "Exp", "Erf", "Tanh", "Sigmoid", "Relu", "Sin", "Cos", "Floor", "Ceil")],
    *[case(f"unary/{op}", op, positive(7, 5)) for op in ("Log", "Sqrt", "Reciprocal")],
    *[case(f"large/{op}", op, 30 * normal(7, 5)) for op in ("Erf", "Tanh", "Sigmoid")],
    *[case(f"special/{op}", op, SPECIAL) for op in ("Neg", "Abs", "Tanh", "Relu", "IsNaN", "Erf")],
    *[case(f"binary/{op}", op, normal(5, 7, 3), positive(5, 7, 3)) for op in ("Add", "Sub", "Mul", "Div", "Max", "Min")],
    *[case(f"broadcast-row/{op}", op, normal(5, 7, 3), normal(3)) for op in ("Add", "Sub", "Mul")],
    *[case(f"broadcast-left/{op}", op, normal(7, 1), normal(5, 1, 3)) for op in ("Add", "Sub", "Mul")],
    case("broadcast-scalar/Add", "Add", normal(5, 7), scalar(0.5)),
    case("broadcast-rank-0/Mul", "Mul", normal(5, 7), np.array(1.5, np.float32)),
    case("both-rank-0/Add", "Add", np.array(1.5, np.float32), np.array(2.25, np.float32)),
    case("same-operand/Mul", "Mul", x, x),
    case("integer/Add", "Add", integers(-9, 9, 5, 3), integers(-9, 9, 5, 3)),
    case("integer/Mul", "Mul", integers(-9, 9, 5, 3, dtype=np.int32), integers(-9, 9, 5, 3, dtype=np.int32)),
    case("integer/Div", "Div", integers(-9, 9, 5, 3), integers(1, 5, 5, 3)),
    case("integer/Sub", "Sub", integers(-9, 9, 5, 3), integers(-9, 9, 3)),
    case("integer/Max", "Max", integers(-9, 9, 5, 3), integers(-9, 9, 5, 3)),
    case("variadic/Max", "Max", normal(5, 3), normal(5, 3), normal(3)),
    case("single/Max", "Max", normal(5, 3)),
    case("nan/Max", "Max", SPECIAL, normal(5, 7)),
    case("pow/square", "Pow", normal(5, 7), scalar(2.0)),
    case("pow/cube", "Pow", normal(5, 7), scalar(3.0)),
    case("pow/half", "Pow", positive(5, 7), scalar(0.5)),
    case("pow/integer-exponent", "Pow", normal(5, 7), scalar(2, np.int64)),
    case("pow/tensor", "Pow", positive(5, 7), normal(5, 7)),
    *[case(f"compare/{op}", op, integers(0, 3, 5, 7), integers(0, 3, 5, 7)) for op in
      ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")],
    *[case(f"compare-float/{op}", op, normal(5, 7), normal(7)) for op in ("Greater", "LessOrEqual")],
    case("compare-nan/Equal", "Equal", SPECIAL, SPECIAL),
    *[case(f"logic/{op}", op, booleans(5, 7), booleans(5, 7)) for op in ("And", "Or")],
    case("logic/Not", "Not", booleans(5, 7)),
    case("where", "Where", booleans(5, 7, 3), normal(5, 7, 3), normal(5, 7, 3)),
    case("where/broadcast", "Where", booleans(5, 1, 3), normal(7, 1), scalar(-1.0)),
    case("where/integer", "Where", booleans(5, 3), integers(0, 9, 5, 3), integers(0, 9, 3)),
    case("clip", "Clip", normal(5, 7), scalar(-0.5), scalar(0.5)),
    case("clip/no-minimum", "Clip", normal(5, 7), None, scalar(0.25)),
    case("clip/no-maximum", "Clip", normal(5, 7), scalar(0.25)),
    case("identity", "Identity", normal(5, 7)),
    *[case(f"cast/{np.dtype(a).name}-to-{np.dtype(b).name}", "Cast", v.astype(a), to=code) for v, a, b, code in (
        (3 * normal(5, 7), np.float32, np.int64, 7), (3 * normal(5, 7), np.float32, np.int32, 6),
        (normal(5, 7).round(), np.float32, np.bool_, 9), (integers(-9, 9, 5, 7), np.int64, np.float32, 1),
        (integers(-9, 9, 5, 7), np.int64, np.int32, 6), (integers(-9, 9, 5, 7), np.int32, np.float32, 1),
        (booleans(5, 7), np.bool_, np.float32, 1), (booleans(5, 7), np.bool_, np.int64, 7), (integers(-1, 2, 5, 7), np.int64, np.bool_, 9))],
    case("cast/same-type", "Cast", normal(5, 7), to=1),
    case("castlike", "CastLike", integers(-9, 9, 5, 7), normal(2)),
    case("castlike/constant", "CastLike", booleans(5, 7), floats(1)),
]
