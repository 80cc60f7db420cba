#ifndef FROE_CONTRACTION_OPS_TD
#define FROE_CONTRACTION_OPS_TD

include "dialects/Froe/FroeDialect.td"

def Froe_ContractOp : Froe_AttrRuledOp<"contract", [AllElementTypesMatch<["lhs", "rhs"]>]> {
  let summary = "general dot product of two tensors";
  let description = [{
    `subscripts` gives every dim a letter, as einsum does. Letters in both operands and in the result are batch dims, letters
    missing in the result are summed over; both operands must have these. Every letter of the result stands in an operand, no letter stands twice in
    one tensor. Floats narrower than f32 are summed in f32, and the result may be these sums: in f32.

    ```mlir
    %2 = froe.contract "bsh,ho->bso" %0, %1 : tensor<8x128x768xf32>, tensor<768x3072xf32> -> tensor<8x128x3072xf32>
    %5 = froe.contract "bqhd,bkhd->bhqk" %3, %4 : tensor<8x128x12x64xf32>, tensor<8x128x12x64xf32> -> tensor<8x12x128x128xf32>
    %8 = froe.contract "sh,ho->so" %6, %7 : tensor<128x768xbf16>, tensor<768x3072xbf16> -> tensor<128x3072xf32>
    ```
  }];
  let arguments = (ins StrAttr:$subscripts, Froe_Tensor:$lhs, Froe_Tensor:$rhs);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$subscripts $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The letters of one tensor each.
    llvm::StringRef getLhsLetters();
    llvm::StringRef getRhsLetters();
    llvm::StringRef getResultLetters();
  }];
}

#endif
