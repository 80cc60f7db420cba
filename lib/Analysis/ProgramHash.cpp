#include "froe/Analysis/ProgramHash.h"

#include "froe/Analysis/ProgramGraph.h"

#include "dialects/Froe/Froe.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/xxhash.h"

#include <fmt/format.h>

namespace froe {

namespace {

class ProgramText {
public:
  std::string text;

  void add(mlir::func::FuncOp main) {
    for (mlir::BlockArgument argument : main.getArguments()) {
      auto name = main.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), FroeDialect::kName);
      stream << (name ? name.getValue() : "") << argument.getType() << "\n";
      number(argument);
    }
    for (mlir::Operation &op : main.getBody().front())
      add(&op);
    stream.flush();
  }

private:
  void number(mlir::Value value) { numbers.try_emplace(value, static_cast<int>(numbers.size())); }

  void add(mlir::Operation *op) {
    stream << op->getName() << ' ' << nodeName(op);
    for (mlir::Value operand : op->getOperands())
      stream << ' ' << numbers.lookup(operand);
    for (mlir::Value result : op->getResults()) {
      stream << ' ' << result.getType();
      number(result);
    }
    if (auto weight = llvm::dyn_cast<WeightOp>(op))
      stream << weight.getName();
    else
      for (mlir::NamedAttribute attribute : op->getAttrs())
        add(attribute);
    stream << "\n";
  }

  void add(mlir::NamedAttribute attribute) {
    stream << ' ' << attribute.getName() << '=';
    if (auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute.getValue())) // printing takes long
      stream << llvm::StringRef(elements.getRawData().data(), elements.getRawData().size());
    else
      stream << attribute.getValue();
  }

  llvm::raw_string_ostream stream{text};
  llvm::DenseMap<mlir::Value, int> numbers;
};

} // namespace

std::string programHash(mlir::func::FuncOp main) {
  ProgramText program;
  program.add(main);
  return fmt::format("{:016x}", llvm::xxh3_64bits(program.text));
}

} // namespace froe
