#ifndef RANK_STEP_OPS_TD
#define RANK_STEP_OPS_TD

include "dialects/Rank/RankDialect.td"
include "dialects/Rank/RankEnums.td"
include "mlir/IR/SymbolInterfaces.td"

def Rank_LaunchOp : Rank_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one step: a generated kernel";
  let description = [{
    The kernel is a function of the module from tensors to tensors, shared by all steps with the same body and shapes.

    ```mlir
    %2 = rank.launch @softmax_0(%0, %1) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Froe_Tensor>:$operands);
  let results = (outs Variadic<Froe_Tensor>:$results);
  let assemblyFormat = "$kernel `(` $operands `)` attr-dict `:` functional-type($operands, $results)";
}

def Rank_PostAttr : AttrDef<Rank_Dialect, "Post"> {
  let mnemonic = "post";
  let summary = "one operation fused behind a matrix product";
  let description = [{
    `add` and `mul` take the next operand of the step; `letters` says which dims of the product its dims are, the others are broadcast.

    ```mlir
    #rank.post<scale by 1.250000e-01 : f32>   #rank.post<add along "o">   #rank.post<gelu_erf>
    ```
  }];
  let parameters = (ins EnumParameter<Rank_PostKind>:$kind, OptionalParameter<"::mlir::FloatAttr">:$value,
                    OptionalParameter<"::mlir::StringAttr">:$letters);
  let assemblyFormat = "`<` $kind (`by` $value^)? (`along` $letters^)? `>`";
}

def Rank_MatmulOp : Rank_Op<"matmul", [AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "one step: a matrix product by a library, with what follows it";
  let description = [{
    `subscripts` as in `froe.contract`. Operands of posts come in their order and have the element type of the result, which is
    that of lhs and rhs, or f32 where that is narrower.

    ```mlir
    %3 = rank.matmul "sh,ho->so" %0, %1 posts [#rank.post<add along "o">, #rank.post<gelu_erf>](%2) : (tensor<128x768xf32>, tensor<768x3072xf32>, tensor<3072xf32>) -> tensor<128x3072xf32>
    ```
  }];
  let arguments = (ins StrAttr:$subscripts, Froe_Tensor:$lhs, Froe_Tensor:$rhs, Variadic<Froe_Tensor>:$post_operands,
                   TypedArrayAttrBase<Rank_PostAttr, "posts">:$posts);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = [{
    $subscripts $lhs `,` $rhs `posts` $posts `(` $post_operands `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Rank_ViewOp : Rank_Op<"view", [AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "the same bytes under another shape; no work at run time";
  let description = [{
    ```mlir
    %1 = rank.view %0 : tensor<8x128x768xf32> -> tensor<1024x768xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

#endif
