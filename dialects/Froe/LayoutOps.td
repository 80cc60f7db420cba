#ifndef FROE_LAYOUT_OPS_TD
#define FROE_LAYOUT_OPS_TD

include "dialects/Froe/FroeDialect.td"

def Froe_ReshapeOp : Froe_AttrRuledOp<"reshape", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %1 = froe.reshape %0 : tensor<8x128x768xf32> -> tensor<1024x768xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Froe_TransposeOp : Froe_AttrRuledOp<"transpose", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "dims in another order: result dim i is operand dim permutation[i]";
  let description = [{
    ```mlir
    %1 = froe.transpose %0 [0, 2, 1] : tensor<8x128x64xf32> -> tensor<8x64x128xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Froe_BroadcastOp : Froe_AttrRuledOp<"broadcast", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "repeats a tensor along dims that it lacks, or has with size 1";
  let description = [{
    Operand dim i becomes result dim `dims[i]`, ascending; it has the same size there, or size 1 and is repeated.

    ```mlir
    %1 = froe.broadcast %0 dims [2] : tensor<768xf32> -> tensor<8x128x768xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Froe_ConcatOp : Froe_AttrRuledOp<"concat"> {
  let summary = "tensors one behind the other along one dim";
  let description = [{
    ```mlir
    %2 = froe.concat %0, %1 dim 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Variadic<Froe_Tensor>:$operands, Froe_Int64:$dim);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operands `dim` $dim attr-dict `:` type($operands) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Froe_SliceOp : Froe_AttrRuledOp<"slice", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "every stride-th element from a start on; the result's shape says how many";
  let description = [{
    Strides may be negative. All elements lie inside the operand.

    ```mlir
    %1 = froe.slice %0 starts [0, 6] strides [1, -2] : tensor<4x8xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$strides);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `starts` $starts `strides` $strides attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Froe_PadOp : Froe_AttrRuledOp<"pad", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "elements of one value in front of and behind a tensor";
  let description = [{
    ```mlir
    %1 = froe.pad %0 low [0, 1] high [0, 1] with 0.000000e+00 : f32 : tensor<4x6xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `low` $low `high` $high `with` $value attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif
