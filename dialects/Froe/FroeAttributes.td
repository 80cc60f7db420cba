#ifndef FROE_ATTRIBUTES_TD
#define FROE_ATTRIBUTES_TD

include "dialects/Froe/FroeDialect.td"

class Froe_Attr<string name, string attrMnemonic> : AttrDef<Froe_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Froe_AxesAttr : Froe_Attr<"Axes", "axes"> {
  let summary = "a list of mesh axes, the major one first";
  let description = [{ Written `{"x", "y"}`: `#froe.axes<{"x", "y"}>`. }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names);
  let hasCustomAssemblyFormat = 1;
}

def Froe_ShardingAttr : Froe_Attr<"Sharding", "sharding"> {
  let summary = "how a tensor is laid out over a mesh";
  let description = [{
    One list of mesh axes for each dim, the major axis first, and the axes over which the value is an unreduced partial
    result. Over all other axes the tensor is replicated.

    ```mlir
    #froe.sharding<@mesh, [{"x"}, {} ]>                        // rows cut over x
    #froe.sharding<@mesh, [{"x", "y"}, {} ]>                   // rows cut over x, then over y
    #froe.sharding<@mesh, [{}, {} ], partial<sum>{"y"}>        // every device along y holds a summand
    ```
  }];
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$mesh,
    ArrayRefParameter<"::froe::AxesAttr">:$dims,
    "::froe::AxesAttr":$partial,
    "::froe::Reduction":$partialKind
  );
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The same as a value of the sharding library. Axes that `mesh` lacks are an error (see `check`).
    ::froe::Sharding toSharding(const ::froe::Mesh &mesh) const;
    static ShardingAttr get(::mlir::MLIRContext *context, ::mlir::FlatSymbolRefAttr meshName, const ::froe::Mesh &mesh,
                            const ::froe::Sharding &sharding);
    /// Why this is no sharding of a tensor of `rank` dims on `mesh`, if it is none.
    std::optional<std::string> check(const ::froe::Mesh &mesh, int64_t rank) const;
  }];
}

#endif
