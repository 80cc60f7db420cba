#ifndef FROE_PROGRAM_OPS_TD
#define FROE_PROGRAM_OPS_TD

include "dialects/Froe/FroeAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"

def Froe_MeshOp : Op<Froe_Dialect, "mesh", [Symbol]> {
  let summary = "the logical grid of devices that the program runs on";
  let description = [{
    Devices are numbered row-major: the last axis varies fastest.

    ```mlir
    froe.mesh @mesh ["data" = 2, "model" = 4]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axis_names, DenseI64ArrayAttr:$axis_sizes);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{ ::froe::Mesh getMesh(); }];
}

def Froe_ConstantOp : Froe_AttrRuledOp<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a small constant tensor";
  let description = [{
    ```mlir
    %0 = froe.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// Whether all elements are one number.
    bool isSplat();
  }];
}

def Froe_WeightOp : Froe_AttrRuledOp<"weight"> {
  let summary = "a tensor whose elements stay in a file";
  let description = [{
    `file` is relative to the folder of the program's source (module attribute `froe.source`); the elements are the
    `length` bytes from `offset` on, little endian, row-major. Booleans take one byte each. Floats that the file holds as another type
    (`as`) are converted while the package is written: rounded to the nearest, ties to even, what is finite stays finite.

    ```mlir
    %0 = froe.weight "encoder.fc.weight" in "model.onnx.data" [4096 : 2359296] : tensor<768x768xf32>
    %1 = froe.weight "encoder.fc.weight" in "model.onnx.data" [4096 : 2359296] as f32 : tensor<768x768xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$file, Froe_Int64:$offset, Froe_Int64:$length,
                   OptionalAttr<TypeAttr>:$stored);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "$name `in` $file ` ` `[` $offset `:` $length `]` (`as` $stored^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::llvm::StringRef":$name, "::llvm::StringRef":$file, "int64_t":$offset,
                                 "int64_t":$length), [{
    build($_builder, $_state, result, name, file, offset, length, ::mlir::TypeAttr());
  }]>];
  let extraClassDeclaration = [{
    /// The element type in the file.
    ::mlir::Type getStoredType();
  }];
}

def Froe_IotaOp : Froe_AttrRuledOp<"iota"> {
  let summary = "the index along one dim";
  let description = [{
    ```mlir
    %0 = froe.iota dim 1 : tensor<4x8xi64>      // 0 … 7 in every row
    ```
  }];
  let arguments = (ins Froe_Int64:$dim);
  let results = (outs Froe_Tensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
