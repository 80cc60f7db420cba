#ifndef RANK_DIALECT_TD
#define RANK_DIALECT_TD

include "dialects/Froe/FroeDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Rank_Dialect : Dialect {
  let name = "rank";
  let useDefaultAttributePrinterParser = 1;
  let cppNamespace = "::froe::rank";
  let summary = "the program of one rank: local shapes, collectives, steps";
  let description = [{
    After partitioning the function computes this rank's blocks: `froe` ops on local shapes, and the ops of this dialect, which involve other
    ranks or depend on the rank's place in the mesh. Axes are names of the module's `froe.mesh`; a collective joins the ranks that differ only along them.

    After outlining it is a straight line of steps: `rank.launch` (a generated kernel), `rank.matmul` (a library call), collectives.
  }];
  let extraClassDeclaration = [{
    /// Result attribute list (`kernels` phase): the place of each result of a step in the arena, in bytes.
    static constexpr llvm::StringLiteral kOffsets = "rank.offsets";
    /// Function attribute: size of the arena in bytes.
    static constexpr llvm::StringLiteral kArenaBytes = "rank.arena_bytes";
  }];
}

class Rank_Op<string mnemonic, list<Trait> traits = []> : Op<Rank_Dialect, mnemonic, traits # [Pure]>;

#endif
