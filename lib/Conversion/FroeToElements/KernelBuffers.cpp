#include "lib/Conversion/FroeToElements/KernelBuffers.h"

#include "lib/Conversion/FroeToElements/Lower.h"

using namespace mlir;

namespace froe {
namespace {

void declareMemory(Value tensor, Value pointer, Elements &elements) {
  Type elementType = elementTypeOf(tensor);
  SmallVector<int64_t> shape(shapeOf(tensor));
  elements.declare(tensor, [&elements, pointer, elementType, shape](Indices indices) {
    return elements.load(pointer, elementType, elements.index.linear(indices, shape));
  });
  for (Operation *user : tensor.getUsers()) // the same bytes
    if (auto reshape = dyn_cast<ReshapeOp>(user))
      declareMemory(reshape.getResult(), pointer, elements);
}

bool isInDomain(Value value, const KernelDomain &domain) {
  return isFull(value, domain) || shapeOf(value) == ArrayRef<int64_t>(domain.outer);
}

} // namespace

bool isFull(Value value, const KernelDomain &domain) { return shapeOf(value) == ArrayRef<int64_t>(domain.shape()); }

SmallVector<KernelResult> declareBuffers(func::FuncOp kernel, const KernelDomain &domain, Elements &elements,
                                         ValueRange pointers) {
  for (BlockArgument argument : kernel.getArguments())
    declareMemory(argument, pointers[argument.getArgNumber()], elements);
  SmallVector<KernelResult> results;
  size_t next = kernel.getNumArguments();
  for (Value value : kernel.getBody().front().getTerminator()->getOperands()) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
      if (isInDomain(value, domain))
        break;
      value = reshape.getOperand();
    }
    results.push_back({value, pointers[next++]});
  }
  return results;
}

} // namespace froe
