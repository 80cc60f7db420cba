#include "dialects/Rank/Rank.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Rank/RankDialect.cpp.inc"
#include "dialects/Rank/RankEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Rank/RankAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Rank/RankOps.cpp.inc"

namespace froe::rank {

void RankDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Rank/RankAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Rank/RankOps.cpp.inc"
      >();
}

} // namespace froe::rank
