#include "LayeredProgram.h"

#include "dialects/Froe/Froe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe::test {

namespace {
constexpr std::string_view kWide = "tensor<16x64xf32>", kNarrow = "tensor<16x32xf32>";

class Writer {
public:
  explicit Writer(const LayeredProgram &program) : program(program) {}

  std::string text() {
    std::string wide = std::string(kWide), narrow = std::string(kNarrow);
    weight("first", 32, 32);
    contract("s0", "x", "first", narrow, "tensor<32x32xf32>", narrow);
    op("t0", "exp", "s0", narrow);
    for (int layer = 0; layer < program.layers; ++layer)
      addLayer(layer);
    weight("last", 32, 32);
    contract("y", fmt::format("s{}", program.layers), "last", narrow, "tensor<32x32xf32>", narrow);
    op("z", "exp", fmt::format("{}{}", program.twoStreams ? "t" : "s", program.layers), narrow);
    returned.push_back("%y");
    returned.push_back("%z");
    std::vector<std::string> types(returned.size(), narrow);
    return fmt::format("func.func @main(%x: {0}, %mask: {1}) -> ({2}) {{\n{3}  return {4} : {2}\n}}\n", narrow, wide,
                       fmt::join(types, ", "), body, fmt::join(returned, ", "));
  }

private:
  void line(const std::string &text) { body += "  " + text + "\n"; }
  void op(const std::string &result, std::string_view name, const std::string &operands, std::string_view type) {
    line(fmt::format("%{} = froe.{} %{} : {}", result, name, operands, type));
  }
  void weight(const std::string &name, int rows, int columns) {
    line(fmt::format("%{0} = froe.weight \"{0}\" in \"w.bin\" [{1} : {2}] : tensor<{3}x{4}xf32>", name, offset,
                     4 * rows * columns, rows, columns));
    offset += 4 * rows * columns;
  }
  void contract(const std::string &result, const std::string &left, const std::string &right, std::string_view leftType,
                std::string_view rightType, std::string_view type) {
    line(fmt::format("%{} = froe.contract \"bi,io->bo\" %{}, %{} : {}, {} -> {}", result, left, right, leftType,
                     rightType, type));
  }

  void addLayer(int n) {
    auto named = [&](const char *name) { return fmt::format("{}{}", name, n); };
    std::string up = named("up"), down = program.tied ? "down0" : named("down"), hidden = named("h");
    weight(up, 32, 64);
    if (!program.tied || n == 0)
      weight(down, 64, 32);
    contract(hidden, named("s"), up, kNarrow, "tensor<32x64xf32>", kWide);
    if (program.mask) {
      op(hidden + "m", "add", hidden + ", %mask", kWide);
      hidden += "m";
    }
    op(named("a"), program.others.contains(n) ? "tanh" : "relu", hidden, kWide);
    contract(named("p"), named("a"), down, kWide, "tensor<64x32xf32>", kNarrow);
    op(fmt::format("s{}", n + 1), "add", fmt::format("p{0}, %s{0}", n), kNarrow);
    if (program.twoStreams)
      op(fmt::format("t{}", n + 1), "add", fmt::format("p{0}, %t{0}", n), kNarrow);
    if (program.outputs) {
      op(named("out"), "exp", named("p"), kNarrow);
      returned.push_back("%" + named("out"));
    }
  }

  const LayeredProgram &program;
  std::string body;
  std::vector<std::string> returned;
  int64_t offset = 0;
};
} // namespace

std::string textOf(const LayeredProgram &program) { return Writer(program).text(); }

std::unique_ptr<mlir::MLIRContext> makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<FroeDialect, mlir::func::FuncDialect>();
  return context;
}

mlir::OwningOpRef<mlir::ModuleOp> parse(const LayeredProgram &program, mlir::MLIRContext &context) {
  return mlir::parseSourceString<mlir::ModuleOp>(textOf(program), &context);
}

} // namespace froe::test
