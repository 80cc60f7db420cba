// Passes inside the froe and rank dialects, in the order in which the pipeline runs them (lib/Pipelines).
#ifndef FROE_TRANSFORMS_PASSES
#define FROE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def Simplify : Pass<"simplify", "::mlir::ModuleOp"> {
  let summary = "recovers structure that exporters spell out, and drops what does nothing";
  let description = [{
    Transposes disappear into contractions; GELU, SiLU and root-mean-square normalisation written as elementary operations
    become one op each; a guard against NaN behind a softmax goes where no NaN can occur. Numbers change by
    rounding only.

    Before:
    ```mlir
    %t = froe.transpose %w [1, 0] : tensor<3072x768xf32> -> tensor<768x3072xf32>
    %y = froe.contract "sh,ho->so" %x, %t : tensor<128x768xf32>, tensor<768x3072xf32> -> tensor<128x3072xf32>
    ```
    After:
    ```mlir
    %y = froe.contract "sh,oh->so" %x, %w : tensor<128x768xf32>, tensor<3072x768xf32> -> tensor<128x3072xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect"];
}

def SelectMatmuls : Pass<"select-matmuls", "::mlir::ModuleOp"> {
  let summary = "contractions become steps that the matrix library computes, with what follows them";
  let description = [{
    In @main, every `froe.contract` becomes a `rank.matmul`. A constant factor, a bias, a residual or mask, and an activation
    behind it join the step as posts where each has the only use of what is before it. Transposes are expressed by strides;
    where strides cannot (dims summed over lie in different orders), an explicit `froe.transpose` goes first. Rows of the
    result are runs of the right operand's dims; with a choice, weights go to the right. Every `froe.reshape` becomes a
    `rank.view`. Afterwards `rank::describe` succeeds for every `rank.matmul`.

    Before:
    ```mlir
    %2 = froe.contract "sh,oh->so" %x, %w : tensor<128x768xf32>, tensor<3072x768xf32> -> tensor<128x3072xf32>
    %3 = froe.broadcast %bias dims [1] : tensor<3072xf32> -> tensor<128x3072xf32>
    %4 = froe.add %2, %3 : tensor<128x3072xf32>
    ```
    After:
    ```mlir
    %4 = rank.matmul "sh,oh->so" %x, %w posts [#rank.post<add "o">](%bias) : (tensor<128x768xf32>, tensor<3072x768xf32>, tensor<3072xf32>) -> tensor<128x3072xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect"];
}

def AssignArena : Pass<"assign-arena", "::mlir::ModuleOp"> {
  let summary = "gives every buffer of @main its place in the arena";
  let description = [{
    Assumes a straight line of steps. Each result of a step gets an offset (attribute `rank.offsets`), each argument
    `rank.offset`, the function `rank.arena_bytes`. Offsets are multiples of 64; two buffers share bytes only if none is
    written while the other still has a use. Arguments live from the start to their last use, results of the program to its end.
    Views have the place of their operand; weights and constants lie outside the arena. An `all_reduce` or `mask`
    works in place where it has the last use of its operand.
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect"];
}

#endif
