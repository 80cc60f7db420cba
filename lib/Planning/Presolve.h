#pragma once

#include "Model.h"

namespace froe {

/// Removes labels that no best choice needs, until nothing changes:
/// - those that some neighbour cannot go with (arc consistency over infinite costs);
/// - those that take more bytes than all other nodes' smallest choices leave of the limit;
/// - those that another label beats whatever the neighbours do: in cost, and in bytes of every use.
/// False if a node has no label left, or the smallest labels together exceed the limit: then no choice is possible.
bool presolve(Model &model);

} // namespace froe
