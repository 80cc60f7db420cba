#ifndef FROE_ELEMENTWISE_OPS_TD
#define FROE_ELEMENTWISE_OPS_TD

include "dialects/Froe/FroeDialect.td"

/// Works element by element on equal shapes. `floatOp` and `integerOp` name the scalar op (`arith::AddFOp`) that the
/// lowering repeats; empty where the scalar form is more than one op (lib/Conversion/FroeToElements/Elementwise.cpp).
class Froe_ElementwiseOp<string mnemonic, string rule, string floatOp, string integerOp, list<Trait> traits = []>
    : Froe_RuledOp<mnemonic, rule, traits # [Elementwise, SameOperandsAndResultShape]> {
  let extraClassDeclaration = ruleDeclaration #
    "using FloatScalar = " # !if(!empty(floatOp), "void", "::mlir::" # floatOp) # ";\n" #
    "using IntegerScalar = " # !if(!empty(integerOp), "void", "::mlir::" # integerOp) # ";\n";
}

class Froe_UnaryOp<string mnemonic, string floatOp, string integerOp = "", string partial = "", Type operandType = Froe_Tensor>
    : Froe_ElementwiseOp<mnemonic, "(...) -> (...)" # partial, floatOp, integerOp,
                         [SameOperandsAndResultType]> {
  let arguments = (ins operandType:$operand);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let description = "```mlir\n%1 = froe." # mnemonic # " %0 : tensor<4x8xf32>\n```";
}

class Froe_FloatUnaryOp<string mnemonic, string floatOp> : Froe_UnaryOp<mnemonic, floatOp, "", "", Froe_FloatTensor>;

class Froe_BinaryOp<string mnemonic, string floatOp, string integerOp, string partial = "", list<Trait> traits = [],
                    Type operandType = Froe_Tensor>
    : Froe_ElementwiseOp<mnemonic, "(...), (...) -> (...)" # partial, floatOp, integerOp,
                         traits # [SameOperandsAndResultType]> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let description = "```mlir\n%2 = froe." # mnemonic # " %0, %1 : tensor<4x8xf32>\n```";
}

def Froe_AbsOp : Froe_UnaryOp<"abs", "math::AbsFOp", "math::AbsIOp"> { let summary = "absolute value"; }
def Froe_NegOp : Froe_UnaryOp<"neg", "arith::NegFOp", "", " | partial 0: sum"> { let summary = "negative"; }
def Froe_ExpOp : Froe_FloatUnaryOp<"exp", "math::ExpOp"> { let summary = "e to the power of x"; }
def Froe_LogOp : Froe_FloatUnaryOp<"log", "math::LogOp"> { let summary = "natural logarithm"; }
def Froe_SqrtOp : Froe_FloatUnaryOp<"sqrt", "math::SqrtOp"> { let summary = "square root"; }
def Froe_ReciprocalOp : Froe_FloatUnaryOp<"reciprocal", ""> { let summary = "1 / x"; }
def Froe_SinOp : Froe_FloatUnaryOp<"sin", "math::SinOp"> { let summary = "sine"; }
def Froe_CosOp : Froe_FloatUnaryOp<"cos", "math::CosOp"> { let summary = "cosine"; }
def Froe_TanhOp : Froe_FloatUnaryOp<"tanh", "math::TanhOp"> { let summary = "hyperbolic tangent"; }
def Froe_ErfOp : Froe_FloatUnaryOp<"erf", "math::ErfOp"> { let summary = "error function"; }
def Froe_FloorOp : Froe_FloatUnaryOp<"floor", "math::FloorOp"> { let summary = "largest integer not above x"; }
def Froe_CeilOp : Froe_FloatUnaryOp<"ceil", "math::CeilOp"> { let summary = "smallest integer not below x"; }
def Froe_RoundOp : Froe_FloatUnaryOp<"round", "math::RoundEvenOp"> { let summary = "nearest integer, halves to even"; }
def Froe_SignOp : Froe_UnaryOp<"sign", ""> { let summary = "-1, 0 or 1"; }
def Froe_SigmoidOp : Froe_FloatUnaryOp<"sigmoid", ""> { let summary = "1 / (1 + exp(-x))"; }
def Froe_SiluOp : Froe_FloatUnaryOp<"silu", ""> { let summary = "x * sigmoid(x), also called swish"; }
def Froe_ReluOp : Froe_UnaryOp<"relu", ""> { let summary = "max(x, 0); NaN stays NaN"; }
def Froe_NotOp : Froe_UnaryOp<"not", "", "", "", Froe_IntegerTensor> { let summary = "logical not"; }

def Froe_GeluForm : I32EnumAttr<"GeluForm", "how GELU is computed", [
    I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]> {
  let cppNamespace = "::froe";
}

def Froe_GeluOp : Froe_ElementwiseOp<"gelu", "(...) -> (...)", "", "", [SameOperandsAndResultType]> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `erf`: x/2 * (1 + erf(x / sqrt(2))); `tanh`: x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).

    ```mlir
    %1 = froe.gelu erf %0 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Froe_GeluForm:$form, Froe_FloatTensor:$operand);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$form $operand attr-dict `:` type($result)";
}

def Froe_AddOp : Froe_BinaryOp<"add", "arith::AddFOp", "arith::AddIOp", " | partial 0 1: sum", [Commutative]> {
  let summary = "sum";
}
def Froe_SubOp : Froe_BinaryOp<"sub", "arith::SubFOp", "arith::SubIOp", " | partial 0 1: sum"> { let summary = "difference"; }
def Froe_MulOp : Froe_BinaryOp<"mul", "arith::MulFOp", "arith::MulIOp", " | partial 0: sum | partial 1: sum", [Commutative]> {
  let summary = "product; and, for booleans";
}
def Froe_DivOp : Froe_BinaryOp<"div", "arith::DivFOp", "", " | partial 0: sum"> {
  let summary = "quotient; integers round towards zero, and division by zero is a fault";
}
def Froe_ModOp : Froe_BinaryOp<"mod", "arith::RemFOp", ""> {
  let summary = "remainder: of floats with the sign of the dividend, of integers with the sign of the divisor";
}
def Froe_PowOp : Froe_BinaryOp<"pow", "math::PowFOp", ""> { let summary = "lhs to the power of rhs"; }
def Froe_MaxOp : Froe_BinaryOp<"max", "arith::MaximumFOp", "", " | partial 0 1: max", [Commutative]> {
  let summary = "larger of two; NaN wins";
}
def Froe_MinOp : Froe_BinaryOp<"min", "arith::MinimumFOp", "", " | partial 0 1: min", [Commutative]> {
  let summary = "smaller of two; NaN wins";
}
def Froe_AndOp : Froe_BinaryOp<"and", "", "arith::AndIOp", " | partial 0 1: and", [Commutative], Froe_IntegerTensor> { let summary = "logical or bitwise and"; }
def Froe_OrOp : Froe_BinaryOp<"or", "", "arith::OrIOp", " | partial 0 1: or", [Commutative], Froe_IntegerTensor> { let summary = "logical or bitwise or"; }
def Froe_XorOp : Froe_BinaryOp<"xor", "", "arith::XOrIOp", "", [Commutative], Froe_IntegerTensor> { let summary = "logical or bitwise exclusive or"; }

def Froe_Comparison : I32EnumAttr<"Comparison", "a relation between two numbers", [
    I32EnumAttrCase<"Equal", 0, "equal">, I32EnumAttrCase<"Less", 1, "less">,
    I32EnumAttrCase<"LessOrEqual", 2, "less_or_equal">, I32EnumAttrCase<"Greater", 3, "greater">,
    I32EnumAttrCase<"GreaterOrEqual", 4, "greater_or_equal">]> {
  let cppNamespace = "::froe";
}

def Froe_CompareOp : Froe_ElementwiseOp<"compare", "(...), (...) -> (...)", "", "",
    [AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "whether a relation holds; never where an operand is NaN";
  let description = [{
    ```mlir
    %2 = froe.compare less %0, %1 : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Froe_Comparison:$relation, Froe_Tensor:$lhs, Froe_Tensor:$rhs);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$relation $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Froe_IsNanOp : Froe_ElementwiseOp<"is_nan", "(...) -> (...)", "", ""> {
  let summary = "whether x is NaN";
  let description = [{
    ```mlir
    %1 = froe.is_nan %0 : tensor<4xf32> -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Froe_FloatTensor:$operand);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Froe_SelectOp : Froe_ElementwiseOp<"select", "(...), (...), (...) -> (...) | partial 1 2: sum", "", "",
    [AllTypesMatch<["then_value", "else_value", "result"]>]> {
  let summary = "one of two values, by a condition";
  let description = [{
    ```mlir
    %3 = froe.select %0, %1, %2 : tensor<4xi1>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Froe_Tensor:$condition, Froe_Tensor:$then_value, Froe_Tensor:$else_value);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$condition `,` $then_value `,` $else_value attr-dict `:` type($condition) `,` type($result)";
  let hasVerifier = 1;
}

def Froe_CastOp : Froe_ElementwiseOp<"cast", "(...) -> (...)", "", ""> {
  let summary = "conversion to another element type, as ONNX Cast defines it";
  let description = [{
    Floats become integers by truncation, numbers become booleans by comparison with zero. Floats become narrower ones by rounding to
    the nearest, ties to even; numbers beyond the range become infinities, or with `saturate` the type's largest ones.

    ```mlir
    %1 = froe.cast %0 : tensor<4xi64> to tensor<4xf32>
    %2 = froe.cast saturate %1 : tensor<4xf32> to tensor<4xf16>
    ```
  }];
  let arguments = (ins Froe_Tensor:$operand, UnitAttr:$saturate);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "(`saturate` $saturate^)? $operand attr-dict `:` type($operand) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
