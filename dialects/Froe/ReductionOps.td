#ifndef FROE_REDUCTION_OPS_TD
#define FROE_REDUCTION_OPS_TD

include "dialects/Froe/FroeDialect.td"

def Froe_ReduceOp : Froe_AttrRuledOp<"reduce", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "combines all elements along some dims, which vanish";
  let description = [{
    Of no elements the result is the neutral element. A mean is a sum and a multiplication.

    ```mlir
    %1 = froe.reduce sum %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Froe_ReduceKind:$kind, Froe_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$kind $operand `dims` $dims attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Froe_SoftmaxOp : Froe_AttrRuledOp<"softmax", [SameOperandsAndResultType]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along one dim";
  let description = [{
    A row of nothing but -inf gives NaN, as in ONNX.

    ```mlir
    %1 = froe.softmax %0 dim 1 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, Froe_Int64:$dim);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Froe_NormalizeForm : I32EnumAttr<"NormalizeForm", "what is normalised", [
    I32EnumAttrCase<"Layer", 0, "layer">, I32EnumAttrCase<"Rms", 1, "rms">]> {
  let cppNamespace = "::froe";
}

def Froe_NormalizeOp : Froe_AttrRuledOp<"normalize", [AttrSizedOperandSegments, AllTypesMatch<["operand", "result"]>]> {
  let summary = "layer or root-mean-square normalisation over the last dims";
  let description = [{
    Over the dims from `first` on: `layer` is (x - mean) / sqrt(variance + epsilon), `rms` is x / sqrt(mean(x^2) + epsilon); then times `scale`,
    plus `bias`, both shaped like these dims.

    ```mlir
    %3 = froe.normalize layer %0 from 1 scale(%1 : tensor<768xf32>) bias(%2 : tensor<768xf32>) epsilon 1.000000e-05 : tensor<4x768xf32>
    %4 = froe.normalize rms %0 from 1 scale(%1 : tensor<768xf32>) epsilon 1.000000e-05 : tensor<4x768xf32>
    ```
  }];
  let arguments = (ins Froe_NormalizeForm:$form, Froe_Tensor:$operand, Optional<Froe_Tensor>:$scale,
                   Optional<Froe_Tensor>:$bias, Froe_Int64:$first, F64Attr:$epsilon);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = [{
    $form $operand `from` $first (`scale` `(` $scale^ `:` type($scale) `)`)? (`bias` `(` $bias^ `:` type($bias) `)`)?
    `epsilon` $epsilon attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif
