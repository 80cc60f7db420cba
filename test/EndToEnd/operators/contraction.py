"""MatMul and Gemm: every rank, broadcast batches, both transposes, constant and computed right operands."""

import numpy as np

from cases import Const, case, normal, scalar

CASES = [
    case("matmul/2d", "MatMul", normal(5, 7), normal(7, 3)),
    case("matmul/weight", "MatMul", normal(5, 70), Const(normal(70, 33))),
    case("matmul/3d-weight", "MatMul", normal(3, 5, 7), Const(normal(7, 9))),
    case("matmul/weight-left", "MatMul", Const(normal(5, 7)), normal(7, 3)),
    case("matmul/batched", "MatMul", normal(3, 5, 7), normal(3, 7, 2)),
    case("matmul/4d", "MatMul", normal(2, 3, 5, 7), normal(2, 3, 7, 5)),
    case("matmul/broadcast-right", "MatMul", normal(3, 5, 7), normal(1, 7, 2)),
    case("matmul/broadcast-left", "MatMul", normal(1, 5, 7), normal(3, 7, 2)),
    case("matmul/broadcast-both", "MatMul", normal(2, 1, 5, 7), normal(3, 7, 4)),
    case("matmul/batched-weight", "MatMul", normal(3, 5, 7), Const(normal(3, 7, 2))),
    case("matmul/vector-left", "MatMul", normal(7), normal(7, 3)),
    case("matmul/vector-right", "MatMul", normal(5, 7), normal(7)),
    case("matmul/vector-batched", "MatMul", normal(3, 5, 7), normal(7)),
    case("matmul/vector-both", "MatMul", normal(7), normal(7)),
    case("matmul/inner-one", "MatMul", normal(5, 1), normal(1, 3)),
    case("matmul/row-one", "MatMul", normal(1, 129), Const(normal(129, 65))),
    case("matmul/column-one", "MatMul", normal(65, 33), Const(normal(33, 1))),
    case("gemm/bias", "Gemm", normal(5, 7), Const(normal(7, 3)), Const(normal(3))),
    case("gemm/no-bias", "Gemm", normal(5, 7), normal(7, 3)),
    case("gemm/transB", "Gemm", normal(5, 7), Const(normal(3, 7)), Const(normal(3)), transB=1),
    case("gemm/transA", "Gemm", normal(7, 5), normal(7, 3), normal(5, 3), transA=1),
    case("gemm/transA-transB", "Gemm", normal(7, 5), normal(3, 7), transA=1, transB=1),
    case("gemm/alpha-beta", "Gemm", normal(5, 7), normal(7, 3), normal(5, 1), alpha=0.5, beta=-2.0),
    case("gemm/scalar-bias", "Gemm", normal(5, 7), normal(7, 3), scalar(0.75)),
    case("gemm/column-bias", "Gemm", normal(5, 7), normal(7, 3), normal(5, 1)),
    case("gemm/beta-zero", "Gemm", normal(5, 7), normal(7, 3), normal(5, 3), beta=0.0),
]
