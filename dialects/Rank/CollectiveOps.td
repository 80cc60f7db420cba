#ifndef RANK_COLLECTIVE_OPS_TD
#define RANK_COLLECTIVE_OPS_TD

include "dialects/Rank/RankDialect.td"

class Rank_Collective<string mnemonic, list<Trait> traits = []>
    : Rank_Op<mnemonic, traits # [AllElementTypesMatch<["operand", "result"]>]> {
  let results = (outs Froe_Tensor:$result);
  let hasVerifier = 1;
}

def Rank_AllReduceOp : Rank_Collective<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "every rank receives the combination of all ranks' terms";
  let description = [{
    Terms are combined in the order of ranks: all copies are equal bit for bit.

    ```mlir
    %1 = rank.all_reduce sum %0 over ["x"] : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_ReduceKind:$kind, Froe_Tensor:$operand, StrArrayAttr:$axes);
  let assemblyFormat = "$kind $operand `over` $axes attr-dict `:` type($result)";
}

def Rank_AllGatherOp : Rank_Collective<"all_gather"> {
  let summary = "every rank receives the blocks of all ranks, joined along a dim";
  let description = [{
    The result's dim may be smaller than blocks x block size: what is left out is padding of the last ranks.

    ```mlir
    %1 = rank.all_gather %0 over ["x"] dim 0 : tensor<4x8xf32> -> tensor<7x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, StrArrayAttr:$axes, Froe_Int64:$dim);
  let assemblyFormat = "$operand `over` $axes `dim` $dim attr-dict `:` type($operand) `->` type($result)";
}

def Rank_ReduceScatterOp : Rank_Collective<"reduce_scatter"> {
  let summary = "every rank receives its block of the combination of all ranks' terms";
  let description = [{
    ```mlir
    %1 = rank.reduce_scatter sum %0 over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_ReduceKind:$kind, Froe_Tensor:$operand, StrArrayAttr:$axes, Froe_Int64:$dim);
  let assemblyFormat = "$kind $operand `over` $axes `dim` $dim attr-dict `:` type($operand) `->` type($result)";
}

def Rank_AllToAllOp : Rank_Collective<"all_to_all"> {
  let summary = "dim `from` was cut and becomes whole, dim `to` becomes cut";
  let description = [{
    ```mlir
    %1 = rank.all_to_all %0 over ["x"] from 0 to 1 : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, StrArrayAttr:$axes, Froe_Int64:$from, Froe_Int64:$to);
  let assemblyFormat = "$operand `over` $axes `from` $from `to` $to attr-dict `:` type($operand) `->` type($result)";
}

def Rank_WaitOp : Op<Rank_Dialect, "wait"> {
  let summary = "until here a collective may go on beside the steps behind it";
  let description = [{
    Stands before the first use of the collective's result. A collective that nothing waits for is complete at once.

    ```mlir
    %1 = rank.all_gather %0 over ["x"] dim 0 : tensor<4x8xf32> -> tensor<7x8xf32>
    %3 = rank.launch @gelu_0(%2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    rank.wait %1 : tensor<7x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$collective);
  let assemblyFormat = "$collective attr-dict `:` type($collective)";
  let hasVerifier = 1;
}

def Rank_SliceOp : Rank_Collective<"slice"> {
  let summary = "this rank's block of a tensor that every rank holds; no communication";
  let description = [{
    The dim is cut into blocks of ceil(size / ranks); where the block reaches beyond the end, it is filled with zeros.

    ```mlir
    %1 = rank.slice %0 over ["x"] dim 0 : tensor<7x8xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, StrArrayAttr:$axes, Froe_Int64:$dim);
  let assemblyFormat = "$operand `over` $axes `dim` $dim attr-dict `:` type($operand) `->` type($result)";
}

def Rank_MaskOp : Rank_Collective<"mask", [SameOperandsAndResultType]> {
  let summary = "padding of an unevenly cut dim becomes one value, so that a reduction does not see it";
  let description = [{
    `size` is the dim's whole size; this rank's valid part is what ceil-sized blocks leave it.

    ```mlir
    %1 = rank.mask %0 over ["x"] dim 0 size 7 with 0.000000e+00 : f32 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, StrArrayAttr:$axes, Froe_Int64:$dim, Froe_Int64:$size, TypedAttrInterface:$value);
  let assemblyFormat = "$operand `over` $axes `dim` $dim `size` $size `with` $value attr-dict `:` type($result)";
}

#endif
