// One element of a program value, as scalar code: the lowering of every froe op inside kernels.
#pragma once

#include "dialects/Froe/Froe.h"
#include "lib/Conversion/FroeToElements/IndexArithmetic.h"

namespace froe {

using Indices = llvm::ArrayRef<mlir::Value>;

/// Builds scalar code (arith, math, scf.if, loads) for single elements of tensors.
///
/// An op that maps indices costs nothing: asking for an element of its result asks for an element of its operand.
/// Values that exist in memory, and results of ops that look at a whole row, are declared as sources.
class Elements {
public:
  using Source = std::function<mlir::Value(Indices)>;

  Elements(mlir::ImplicitLocOpBuilder &builder, mlir::Block *entry)
      : builder(builder), index(builder, memo, entry), entry(entry) {}

  mlir::ImplicitLocOpBuilder &builder;
  Memo memo;
  IndexArithmetic index;

  /// The element of `tensor` at `indices`; of type scalarType(element type).
  mlir::Value at(mlir::Value tensor, Indices indices);

  /// From now on elements of `tensor` come from `source`.
  void declare(mlir::Value tensor, Source source) { sources[tensor] = std::move(source); }
  bool isDeclared(mlir::Value tensor) const { return sources.contains(tensor); }
  /// Called with each element that `at` has newly built from its op.
  std::function<void(mlir::Value tensor, Indices, mlir::Value element)> onElement;

  /// One of two values; code for the other one is not executed.
  mlir::Value branch(mlir::Value condition, llvm::function_ref<mlir::Value()> thenValue,
                     llvm::function_ref<mlir::Value()> elseValue);
  /// Reports `fault` (a bit) at the end of the kernel if `condition` ever holds.
  void raiseIf(mlir::Value condition, int32_t fault);
  /// The pointer to the flags that `raiseIf` sets.
  mlir::Value faultFlags;

  /// An element of a tensor of type `elementType` in memory, `offset` elements behind `pointer`.
  mlir::Value load(mlir::Value pointer, mlir::Type elementType, mlir::Value offset);
  void store(mlir::Value element, mlir::Value pointer, mlir::Type elementType, mlir::Value offset);
  /// Memory that holds the elements of a constant.
  mlir::Value constantMemory(mlir::ElementsAttr elements);

  /// The element of `tensor` at `indices` is this one, as long as the present scope of `memo` lasts.
  void remember(mlir::Value tensor, Indices indices, mlir::Value element);

  /// Bytes that divide the addresses of all buffers; 0: accesses state no alignment.
  int64_t bufferAlignment = 0;
  unsigned constantSpace = 0; ///< address space of constants

private:
  unsigned alignmentOf(mlir::Type memory, mlir::Value offset) const;

  mlir::Block *entry;
  llvm::DenseMap<mlir::Value, Source> sources;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

/// What elements of a tensor are computed in: f32 for narrower floats, signless integers.
mlir::Type scalarType(mlir::Type elementType);
/// What they are stored in: a byte for a boolean, the bits of a bfloat16.
mlir::Type memoryType(mlir::Type elementType);
/// A constant of type scalarType(elementType).
mlir::Value scalarConstant(mlir::ImplicitLocOpBuilder &builder, mlir::Type elementType, double value);
mlir::Value scalarConstant(mlir::ImplicitLocOpBuilder &builder, mlir::Type elementType, mlir::TypedAttr value);

/// Combines two elements as a reduction does; its neutral element.
mlir::Value combine(mlir::ImplicitLocOpBuilder &builder, Reduction kind, mlir::Type elementType,
                    mlir::Value accumulated, mlir::Value element);
mlir::Value neutralElement(mlir::ImplicitLocOpBuilder &builder, Reduction kind, mlir::Type elementType);

/// The element at `indices` of the result of an op; every op of the dialect that kernels may hold is known here.
mlir::Value lowerElement(mlir::Operation *op, Elements &elements, Indices indices);

} // namespace froe
