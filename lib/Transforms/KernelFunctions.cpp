#include "KernelFunctions.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace froe {

StringRef KernelFunctions::shared(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Constants are part of a kernel, all their elements: whatever the command line says of printing them.
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  function->print(stream, OpPrintingFlags().printGenericOpForm().useLocalScope().elideLargeElementsAttrs(kAll));
  auto [it, isNew] = names.try_emplace(text);
  if (!isNew) {
    function->erase();
    return it->second;
  }
  std::string base = function.getName().str();
  function.setName(base + "_" + std::to_string(counts[base]++));
  it->second = symbols.insert(function).getValue().str();
  return it->second;
}

} // namespace froe
