"""Gather, GatherND, and tensors made from nothing."""

import numpy as np
from onnx import numpy_helper

from cases import Const, case, integers, ints, normal, scalar

CASES = [
    case("gather/rows", "Gather", Const(normal(11, 6)), integers(0, 11, 3, 5)),
    case("gather/computed-table", "Gather", normal(11, 6), integers(0, 11, 5)),
    case("gather/axis", "Gather", normal(5, 7, 3), integers(0, 7, 4), axis=1),
    case("gather/last-axis", "Gather", normal(5, 7), integers(0, 7, 3, 2), axis=-1),
    case("gather/negative-index", "Gather", normal(5, 7), ints(-1, 0, -5)),
    case("gather/scalar-index", "Gather", normal(5, 7, 3), scalar(2, np.int64), axis=1),
    case("gather/int32-index", "Gather", normal(5, 7), integers(0, 5, 4, dtype=np.int32)),
    case("gather/integers", "Gather", integers(0, 99, 9), integers(0, 9, 2, 3)),
    case("gathernd", "GatherND", normal(5, 7, 3), np.stack([integers(0, 5, 4), integers(0, 7, 4)], axis=-1)),
    case("gathernd/elements", "GatherND", normal(5, 7), np.stack([integers(0, 5, 2, 3), integers(0, 7, 2, 3)], axis=-1)),
    case("gathernd/rows", "GatherND", normal(5, 7), integers(0, 5, 3, 1)),
    case("gathernd/negative", "GatherND", normal(5, 7), ints(-1, -2)),
    case("gathernd/booleans", "GatherND", normal(5, 7) > 0, np.stack([integers(0, 5, 6), integers(0, 7, 6)], axis=-1)),
    case("gathernd/batched", "GatherND", normal(3, 5, 2), integers(0, 5, 3, 1), batch_dims=1),
    case("range", "Range", scalar(2, np.int64), scalar(13, np.int64), scalar(3, np.int64)),
    case("range/down", "Range", scalar(5, np.int64), scalar(-3, np.int64), scalar(-2, np.int64)),
    case("range/float", "Range", scalar(0.5), scalar(3.0), scalar(0.5)),
    case("constant-of-shape", "ConstantOfShape", ints(3, 5)),
    case("constant-of-shape/value", "ConstantOfShape", ints(3, 5), value=numpy_helper.from_array(np.array([7], np.int64))),
    case("constant", "Constant", value=numpy_helper.from_array(np.arange(15, dtype=np.float32).reshape(3, 5))),
    case("shape", "Shape", normal(5, 7, 3)),
    case("shape/part", "Shape", normal(5, 7, 3), start=1, end=-1),
]
