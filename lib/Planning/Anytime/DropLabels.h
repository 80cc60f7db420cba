#pragma once

#include "Core.h"

namespace froe {

/// Labels of a core that no choice below a known cost has are dropped: their entry in `own`, which otherwise holds the
/// labels' costs, becomes core.excluded.

/// Those whose `reduced` cost, above the bound `floor`, leaves nothing below `known`.
void dropDear(const Core &core, const std::vector<double> &reduced, double floor, double known,
              std::vector<double> &own);

/// Those whose memory does not fit beside the least of what is left of all other nodes. Nothing where some node has
/// nothing left: then no choice is below the known cost.
void dropLarge(const Core &core, std::vector<double> &own);

} // namespace froe
