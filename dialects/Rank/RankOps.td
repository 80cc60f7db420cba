// Every op of the dialect.
#ifndef RANK_OPS_TD
#define RANK_OPS_TD

include "dialects/Rank/CollectiveOps.td"
include "dialects/Rank/StepOps.td"

#endif
