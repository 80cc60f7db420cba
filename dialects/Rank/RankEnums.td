#ifndef RANK_ENUMS_TD
#define RANK_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Rank_PostKind : I32EnumAttr<"PostKind", "what is done to each element of a product before it is stored", [
    I32EnumAttrCase<"Scale", 0, "scale">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
    I32EnumAttrCase<"Relu", 3, "relu">, I32EnumAttrCase<"GeluErf", 4, "gelu_erf">, I32EnumAttrCase<"GeluTanh", 5, "gelu_tanh">,
    I32EnumAttrCase<"Silu", 6, "silu">, I32EnumAttrCase<"Tanh", 7, "tanh">, I32EnumAttrCase<"Sigmoid", 8, "sigmoid">]> {
  let cppNamespace = "::froe::rank";
  let genSpecializedAttr = 0;
}

#endif
