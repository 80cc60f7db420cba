#pragma once

#include "Model.h"

namespace froe {

/// Excludes (by infinite costs) labels that take more bytes than all other nodes' smallest labels leave of the limit,
/// until nothing changes. Nodes that shared a table still do where they lose the same labels. False if a node has no
/// label left, or the smallest labels together exceed the limit: then no choice is possible.
bool excludeByCapacity(Model &model);

} // namespace froe
