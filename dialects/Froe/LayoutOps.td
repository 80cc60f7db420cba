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

def Froe_WindowOp : Froe_AttrRuledOp<"window", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "what windows over the last dims see";
  let description = [{
    The last dims, as many as there are `sizes`, are looked at through windows. The result has the dims before them, then for each of them a dim
    of the places in a window, then for each the windows, as many as the result's shape says. Place `p` of window `w` along a dim is the operand's element
    `w * stride + p * dilation`. A convolution contracts over the places; pooling reduces them.

    ```mlir
    %1 = froe.window %0 sizes [3, 3] strides [2, 2] dilations [1, 1] : tensor<8x16x57x57xf32> -> tensor<8x16x3x3x28x28xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = [{
    $operand `sizes` $sizes `strides` $strides `dilations` $dilations attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many dims come before those that windows look at.
    int64_t getLeadingDims() { return getOperand().getType().getRank() - int64_t(getSizes().size()); }
    /// Whether windows along dim `i` of those looked at lie side by side and fill it.
    bool isDivision(size_t i);
  }];
}

#endif
