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

def UnshareRepeats : Pass<"unshare-repeats", "::mlir::ModuleOp"> {
  let summary = "gives every user its own broadcast and its own constant of one number";
  let description = [{
    Kernels repeat elements where they read them, so nothing is computed twice; but each copy can be cut as its user is, and the
    layers of a model are not tied to each other by what they all read (a mask, a scale). Copies that are cut alike become one
    again behind the partition.

    Before:
    ```mlir
    %m = froe.broadcast %mask dims [1, 2] : tensor<128x128xf32> -> tensor<8x128x128xf32>
    %1 = froe.add %0, %m : tensor<8x128x128xf32>
    %3 = froe.add %2, %m : tensor<8x128x128xf32>
    ```
    After:
    ```mlir
    %m = froe.broadcast %mask dims [1, 2] : tensor<128x128xf32> -> tensor<8x128x128xf32>
    %1 = froe.add %0, %m : tensor<8x128x128xf32>
    %n = froe.broadcast %mask dims [1, 2] : tensor<128x128xf32> -> tensor<8x128x128xf32>
    %3 = froe.add %2, %n : tensor<8x128x128xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect"];
}

def ConvertFloats : Pass<"convert-floats", "::mlir::ModuleOp"> {
  let summary = "a program of f32 becomes one of f16 or bf16 (`--dtype`)";
  let description = [{
    Weights, inputs and what is computed from them get the narrow type; inputs and outputs of the program stay f32, with casts behind and before them. f32
    stay: what is computed from constants and integers alone, until it meets such data (positions, frequencies of a rotary embedding,
    masks); sums and products over a dim, with what is done to them alone (a mean, a variance plus epsilon). Numbers are
    rounded to the nearest, ties to even; NaN and infinities stay; finite numbers beyond the range become the type's largest, so that a mask of
    -3.4e38 is still a number. f64 and integers are not touched, nor are floats that are narrow already. `tf32` changes no type; the module says it
    (`froe.floats`), and products of f32 may round their factors.

    Before:
    ```mlir
    func.func @main(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
      %w = froe.weight "w" in "w.bin" [0 : 192] : tensor<6x8xf32>
      %y = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    ```
    After (`type=bf16`):
    ```mlir
    func.func @main(%x: tensor<4x6xf32>) -> tensor<4x8xf32> {
      %0 = froe.cast saturate %x : tensor<4x6xf32> to tensor<4x6xbf16>
      %w = froe.weight "w" in "w.bin" [0 : 192] as f32 : tensor<6x8xbf16>
      %y = froe.contract "mk,kn->mn" %0, %w : tensor<4x6xbf16>, tensor<6x8xbf16> -> tensor<4x8xbf16>
      %1 = froe.cast %y : tensor<4x8xbf16> to tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    ```
  }];
  let options = [Option<"type", "type", "std::string", "\"\"", "f16, bf16 or tf32; empty: the program stays as it is">];
  let dependentDialects = ["::froe::FroeDialect"];
}

def WidenSums : Pass<"widen-sums", "::mlir::ModuleOp"> {
  let summary = "sums of halves are f32, and rounded behind";
  let description = [{
    Products and sums over dims of f16 and bf16 tensors give f32, followed by a cast; where f32 is wanted the cast is left out. So a dim that
    is summed may be cut: partial sums travel and are added up in f32, and are rounded once, as on one device.

    Before:
    ```mlir
    %0 = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xbf16>, tensor<6x8xbf16> -> tensor<4x8xbf16>
    ```
    After:
    ```mlir
    %0 = froe.contract "mk,kn->mn" %x, %w : tensor<4x6xbf16>, tensor<6x8xbf16> -> tensor<4x8xf32>
    %1 = froe.cast %0 : tensor<4x8xf32> to tensor<4x8xbf16>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect"];
}

def SelectMatmuls : Pass<"select-matmuls", "::mlir::ModuleOp"> {
  let summary = "contractions become steps that the matrix library computes, with what follows them";
  let description = [{
    In @main, every `froe.contract` becomes a `rank.matmul`. A constant factor, a bias, a residual or mask, and an activation
    behind it join the step as posts where each has the only use of what is before it; so does the rounding of an f32 sum to the operands' type. Transposes are expressed by strides;
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
    %4 = rank.matmul "sh,oh->so" %x, %w posts [#rank.post<add along "o">](%bias) : (tensor<128x768xf32>, tensor<3072x768xf32>, tensor<3072xf32>) -> tensor<128x3072xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect"];
}

def FuseAttention : Pass<"fuse-attention", "::mlir::ModuleOp"> {
  let summary = "products with a softmax between become one kernel";
  let description = [{
    Assumes selected matrix products; for targets whose kernels can multiply. Where the result of a product (scaled, with addends) is used by a softmax over its
    last dim alone, and that by another product alone, all three become a private function called by `rank.launch`: the scores never reach memory.
    Zeros in place of NaN behind the softmax (rows that a mask excludes altogether) go with them.

    What is left as it is: rows of more than 128 elements, tensors whose rows are not runs of 16 bytes or a multiple, products with other
    operations behind them.

    Before:
    ```mlir
    %0 = rank.matmul "bxd,byd->bxy" %q, %k posts [#rank.post<scale by 1.250000e-01 : f32>]() : (tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x100xf32>
    %1 = froe.softmax %0 dim 2 : tensor<8x100x100xf32>
    %2 = rank.matmul "bxy,byd->bxd" %1, %v posts []() : (tensor<8x100x100xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
    ```
    After:
    ```mlir
    %2 = rank.launch @attention_0(%q, %k, %v) : (tensor<8x100x64xf32>, tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect", "::mlir::func::FuncDialect"];
}

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "groups the program's remaining ops into kernels";
  let description = [{
    Assumes selected matrix products. Every froe op of @main but weights and constants moves into a private function, called by `rank.launch`;
    functions that are equal but for locations are one. Values that only one kernel needs never reach memory. Functions state
    their domain (dialects/Froe/KernelDomain.h): `rank.domain`, `rank.row`, `rank.extent`, `rank.grain`. Every result of
    @main has a buffer of its own: arguments, weights and constants among them are copied. So are weights and constants that other ranks
    read in a collective: the arena is all that they see.

    Before:
    ```mlir
    %1 = froe.broadcast %scale dims [] : tensor<f32> -> tensor<4x8xf32>
    %2 = froe.mul %0, %1 : tensor<4x8xf32>
    %3 = froe.softmax %2 dim 1 : tensor<4x8xf32>
    ```
    After:
    ```mlir
    %3 = rank.launch @softmax_0(%0, %scale) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect", "::mlir::func::FuncDialect"];
}

def ScheduleCollectives : Pass<"schedule-collectives", "::mlir::ModuleOp"> {
  let summary = "lets collectives go on beside steps that do not need them";
  let description = [{
    Assumes a straight line of steps, for devices with a queue of their own for communication. A collective starts as early as its
    operand allows, with it the copy of a weight that it may need, and a `rank.wait` stands before the first use of its result. Collectives keep
    their order, which all ranks share. What would need a larger arena than the program did before is not done, or done less far.

    Before:
    ```mlir
    %1 = rank.launch @a(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %2 = rank.launch @b(%y) : (tensor<32xf32>) -> tensor<32xf32>
    %3 = rank.all_reduce sum %1 over ["x"] : tensor<32xf32>
    %4 = rank.launch @c(%2, %3) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    ```
    After:
    ```mlir
    %1 = rank.launch @a(%x) : (tensor<32xf32>) -> tensor<32xf32>
    %2 = rank.all_reduce sum %1 over ["x"] : tensor<32xf32>
    %3 = rank.launch @b(%y) : (tensor<32xf32>) -> tensor<32xf32>
    rank.wait %2 : tensor<32xf32>
    %4 = rank.launch @c(%3, %2) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
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
    works in place where it has the last use of its operand. A collective uses its operand until its `rank.wait`.
  }];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect"];
}

def ApplyPlan : Pass<"apply-plan", "::mlir::ModuleOp"> {
  let summary = "chooses a plan and writes it into the program";
  let description = [{
    Program phase to plan phase: the module gets its mesh, arguments and results of @main their `froe.sharding`, every op `froe.in` and
    `froe.out`, which together are a strategy of its rule. The compiler plans in its driver and calls `applyPlan`; this pass is for `froe-opt`.

    Before:
    ```mlir
    func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %0 = froe.relu %x : tensor<8x16xf32>
    ```
    After (`mesh=2 constrain=data`):
    ```mlir
    froe.mesh @mesh ["x" = 2]
    func.func @main(%x: tensor<8x16xf32> {froe.sharding = #froe.sharding<@mesh, [{"x"}, {} ]>}) -> ... {
      %0 = froe.relu %x {froe.in = [#froe.sharding<@mesh, [{"x"}, {} ]>], froe.out = [#froe.sharding<@mesh, [{"x"}, {} ]>]} : tensor<8x16xf32>
    ```
  }];
  let options = [
    Option<"mesh", "mesh", "std::string", "\"1\"", "the mesh, as --mesh of froe compile">,
    Option<"cluster", "cluster", "std::string", "\"cpu\"", "a cluster preset or file">,
    Option<"constrain", "constrain", "std::string", "\"\"", "replicated, data, tensor, or a constraint file">,
    Option<"planFile", "plan", "std::string", "\"\"", "a plan.json to use">,
    Option<"save", "save", "std::string", "\"\"", "where to write plan.json, with the costs of the named plans; - prints it">,
    Option<"memory", "memory", "int64_t", "0", "bytes that one rank may use; 0: what the cluster says">,
  ];
  let dependentDialects = ["::froe::FroeDialect"];
}

def Partition : Pass<"partition", "::mlir::ModuleOp"> {
  let summary = "the program of one rank: local shapes and collectives";
  let description = [{
    Plan phase to rank phase. Every value gets the type of one rank's block. Where an op needs a value in another form than it was made
    in, the cheapest collectives lead there; what several ops need is done once. Padding of unevenly cut dims is masked before an op whose result
    or whose faults depend on it. Blocks of weights keep the whole weight's file range and state its type. Afterwards no froe.in or
    froe.out is left, and all ranks run the same function.

    Before:
    ```mlir
    %2 = froe.contract "sh,ho->so" %0, %1 {froe.in = [#froe.sharding<@mesh, [{}, {"x"} ]>, #froe.sharding<@mesh, [{"x"}, {} ]>],
             froe.out = [#froe.sharding<@mesh, [{}, {} ], partial<sum>{"x"}>]} : tensor<4x6xf32>, tensor<6x8xf32> -> tensor<4x8xf32>
    ```
    After:
    ```mlir
    %2 = froe.contract "sh,ho->so" %0, %1 : tensor<4x3xf32>, tensor<3x8xf32> -> tensor<4x8xf32>
    %3 = rank.all_reduce sum %2 over ["x"] : tensor<4x8xf32>
    ```
  }];
  let options = [Option<"cluster", "cluster", "std::string", "\"cpu\"", "preset or file whose costs choose between collectives">];
  let dependentDialects = ["::froe::FroeDialect", "::froe::rank::RankDialect"];
}

def PrintShardingRules : Pass<"print-sharding-rules", "::mlir::ModuleOp"> {
  let summary = "prints the sharding rule of every op, and checks it against its shapes";
}

#endif
