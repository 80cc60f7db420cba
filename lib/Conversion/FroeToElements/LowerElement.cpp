// The one table of lowerings: the dialect's own list of ops.
#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {
namespace {

/// What no kernel holds: the module's symbols, weights (buffers), contractions (library calls), and ops over rows,
/// whose results are declared as sources before anything asks for an element.
template <typename Op>
constexpr bool isOutside = llvm::is_one_of<Op, MeshOp, WeightOp, ContractOp, ReduceOp, SoftmaxOp, NormalizeOp>::value;

template <typename Op> bool tryLower(Operation *op, Elements &elements, Indices indices, Value &element) {
  if constexpr (!isOutside<Op>) {
    if (auto typed = dyn_cast<Op>(op)) {
      if constexpr (requires { typename Op::FloatScalar; }) {
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
          operands.push_back(elements.at(operand, indices));
        element = lowerScalar(op, elements.builder, elements, operands);
      } else {
        element = lower(typed, elements, indices);
      }
      return true;
    }
  }
  return false;
}

template <typename... Ops> Value lowerOneOf(Operation *op, Elements &elements, Indices indices) {
  Value element;
  bool known = (tryLower<Ops>(op, elements, indices, element) || ...);
  if (!known)
    llvm::report_fatal_error(llvm::Twine("no element of '") + op->getName().getStringRef() + "' inside this kernel");
  return element;
}

} // namespace

Value lowerElement(Operation *op, Elements &elements, Indices indices) {
  return lowerOneOf<
#define GET_OP_LIST
#include "dialects/Froe/FroeOps.cpp.inc"
      >(op, elements, indices);
}

} // namespace froe
