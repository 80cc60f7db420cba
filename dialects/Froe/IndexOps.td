#ifndef FROE_INDEX_OPS_TD
#define FROE_INDEX_OPS_TD

include "dialects/Froe/FroeDialect.td"

def Froe_GatherOp : Froe_AttrRuledOp<"gather", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the slices along one dim that indices name";
  let description = [{
    The indices' dims replace operand dim `dim`. Negative indices count from the end; an index outside is a fault of the
    running program, which names the node.

    ```mlir
    %2 = froe.gather %0, %1 dim 0 : tensor<30522x768xf32>, tensor<8x128xi64> -> tensor<8x128x768xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, Froe_Tensor:$indices, Froe_Int64:$dim);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `dim` $dim attr-dict `:` type($operand) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

def Froe_GatherNdOp : Froe_AttrRuledOp<"gather_nd", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the slices that tuples of indices name";
  let description = [{
    The last dim of the indices holds tuples, which index the operand's dims behind its first `batch_dims` ones (these
    belong together in operand, indices and result). Negative and outside indices as in `froe.gather`.

    ```mlir
    %2 = froe.gather_nd %0, %1 batch_dims 0 : tensor<8x128xi1>, tensor<8x1x128x128x2xi64> -> tensor<8x1x128x128xi1>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, Froe_Tensor:$indices, Froe_Int64:$batch_dims);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices `batch_dims` $batch_dims attr-dict `:` type($operand) `,` type($indices) `->` type($result)";
  let hasVerifier = 1;
}

#endif
