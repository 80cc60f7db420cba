// The functions of kernels in a module, equal ones once.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <map>
#include <string>

namespace froe {

class KernelFunctions {
public:
  explicit KernelFunctions(mlir::ModuleOp module) : symbols(module) {}

  /// The name of the module's function that is equal to `function` but for locations; if there is none it becomes that
  /// function, with a number behind its name.
  llvm::StringRef shared(mlir::func::FuncOp function);

private:
  mlir::SymbolTable symbols;
  std::map<std::string, std::string> names;
  std::map<std::string, int> counts;
};

} // namespace froe
