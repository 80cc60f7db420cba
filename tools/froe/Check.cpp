#include "Command.h"

#include <fmt/format.h>

namespace froe {

Action addCheck(CLI::App &command) {
  auto arguments = std::make_shared<ModelArguments>();
  addModelOptions(command, *arguments);
  return [arguments] {
    std::expected<CompileOptions, std::string> options = compileOptions(*arguments, {});
    if (!options)
      return report(1, {options.error()});
    options->import.needWeights = false;
    Compilation compilation(*options);
    if (auto done = compilation.advanceTo(Phase::Program); !done)
      return report(done.error());
    int64_t ops = 0;
    compilation.module().walk([&](mlir::Operation *op) { ops += op->getNumResults() > 0; });
    fmt::print("'{}' is supported: {} operations\n", arguments->model, ops);
    return 0;
  };
}

} // namespace froe
