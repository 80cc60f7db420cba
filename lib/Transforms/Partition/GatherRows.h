#pragma once

#include "dialects/Froe/Froe.h"
#include "froe/Sharding/Mesh.h"

namespace froe {

/// Makes `gather`, whose table is this rank's block of one of `rows` rows that `axes` cut, look up only what the block
/// holds; returns the result with zeros for rows of other ranks, so that the sum over ranks is the whole result.
///
/// An index that is outside the whole table stays an error, on every rank.
mlir::Value gatherOwnRows(GatherOp gather, int64_t rows, const AxisList &axes, const Mesh &mesh);

} // namespace froe
