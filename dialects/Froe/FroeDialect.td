#ifndef FROE_DIALECT_TD
#define FROE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "dialects/Froe/ShardableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Froe_Dialect : Dialect {
  let name = "froe";
  let cppNamespace = "::froe";
  let summary = "a tensor program as imported from ONNX, and how it is sharded";
  let description = [{
    About fifty orthogonal operations on statically shaped tensors. The importer turns every ONNX operator into them;
    sharding rules, costs and lowerings are written once for each of them.

    Operations take equal shapes where they work element by element: broadcasting is explicit (`froe.broadcast`). Every op
    carries the name of its ONNX node as its location.

    In the `plan` phase each op also carries `froe.in` and `froe.out`, the shardings of its operands and results.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Op attribute (`plan` phase): shardings that the op needs its operands in, and gives its results in.
    static constexpr llvm::StringLiteral kOperandShardings = "froe.in";
    static constexpr llvm::StringLiteral kResultShardings = "froe.out";
    /// Argument and result attributes of a program: the ONNX tensor's name, and (plan phase) its sharding.
    static constexpr llvm::StringLiteral kName = "froe.name";
    static constexpr llvm::StringLiteral kSharding = "froe.sharding";
    /// Argument, result and weight attribute (`rank` phase): type of the whole tensor that the local one is a block of.
    static constexpr llvm::StringLiteral kGlobalType = "froe.global_type";
    /// Module attribute: what `--dtype` made of the floats: f16, bf16 or tf32.
    static constexpr llvm::StringLiteral kFloats = "froe.floats";
    /// Module attribute: the file that the program was imported from; weights' files are relative to its folder.
    static constexpr llvm::StringLiteral kSource = "froe.source";
  }];
}

/// A program op: free of side effects, shardable by a rule.
class Froe_Op<string mnemonic, list<Trait> traits = []>
    : Op<Froe_Dialect, mnemonic, traits # [Pure]>;

/// A program op whose rule is a constant text (see include/froe/Sharding/Rule.h).
class Froe_RuledOp<string mnemonic, string rule, list<Trait> traits = []>
    : Froe_Op<mnemonic, traits # [DeclareOpInterfaceMethods<ShardableOpInterface>]> {
  code ruleDeclaration = "static constexpr llvm::StringLiteral kShardingRule = \"" # rule # "\";\n";
  let extraClassDeclaration = ruleDeclaration;
}

/// A program op whose rule depends on its attributes: defines `getShardingRule()` in C++.
class Froe_AttrRuledOp<string mnemonic, list<Trait> traits = []>
    : Froe_Op<mnemonic, traits # [DeclareOpInterfaceMethods<ShardableOpInterface, ["getShardingRule"]>]>;

def Froe_Tensor : Type<CPred<"::froe::isProgramTensor($_self)">,
                       "statically shaped tensor of float, integer or boolean elements", "::mlir::RankedTensorType">;

class Froe_TensorOf<string element, string what>
    : Type<And<[Froe_Tensor.predicate,
                CPred<"::llvm::isa<" # element # ">(::llvm::cast<::mlir::RankedTensorType>($_self).getElementType())">]>,
           "statically shaped tensor of " # what, "::mlir::RankedTensorType">;
def Froe_FloatTensor : Froe_TensorOf<"::mlir::FloatType", "floats">;
def Froe_IntegerTensor : Froe_TensorOf<"::mlir::IntegerType", "integers or booleans">;

/// As I64Attr, with signed accessors.
def Froe_Int64 : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

def Froe_ReduceKind : I32EnumAttr<"Reduction", "how elements are combined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Product", 1, "product">, I32EnumAttrCase<"Max", 2, "max">,
    I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::froe";
}

#endif
