// Every op of the dialect, by family. A new op goes into its family's file.
#ifndef FROE_OPS_TD
#define FROE_OPS_TD

include "dialects/Froe/ProgramOps.td"
include "dialects/Froe/ElementwiseOps.td"
include "dialects/Froe/ContractionOps.td"
include "dialects/Froe/ReductionOps.td"
include "dialects/Froe/LayoutOps.td"
include "dialects/Froe/IndexOps.td"

#endif
