#pragma once

#include "dialects/Froe/Froe.h"

#include "dialects/Rank/RankDialect.h.inc"
#include "dialects/Rank/RankEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Rank/RankAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Rank/RankOps.h.inc"
