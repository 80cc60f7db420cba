#ifndef FROE_SHARDABLE_OP_INTERFACE_TD
#define FROE_SHARDABLE_OP_INTERFACE_TD

include "mlir/IR/OpBase.td"

def ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::froe";
  let description = [{
    An op that can say how its dims may be cut over devices. Everything else (operand and result shardings, partial results,
    collectives, costs) follows from the rule.
  }];
  let methods = [
    InterfaceMethod<"The rule of this op, for its shapes.", "::froe::Rule", "getShardingRule", (ins), "", [{
      return ::froe::parseShardingRule($_op, ConcreteOp::kShardingRule);
    }]>,
  ];
}

#endif
