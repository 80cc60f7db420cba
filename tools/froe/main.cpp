#include "Command.h"

#include <fmt/core.h>

using namespace froe;

int main(int argc, char **argv) {
  CLI::App app("Splits a model along its grain: an ONNX file becomes one program for all ranks.", "froe");
  app.set_version_flag("--version", "froe " FROE_VERSION);
  app.require_subcommand(1);
  struct Entry {
    const char *name, *summary;
    Action (*add)(CLI::App &);
  };
  constexpr Entry entries[] = {
      {"compile", "ONNX model to package", addCompile},
      {"plan", "how a model would be sharded, and what that costs", addPlan},
      {"explain", "what a package's plan is", addExplain},
      {"run", "runs a package on its ranks", addRun},
      {"verify", "compares a package with the unsharded model", addVerify},
      {"ops", "supported ONNX operators", addOps},
      {"check", "what a model needs that is not supported", addCheck},
      {"calibrate", "measures this machine for --cluster", addCalibrate},
      {"doctor", "checks that this machine can compile and run programs", addDoctor},
  };
  std::vector<std::pair<CLI::App *, Action>> commands;
  for (const Entry &entry : entries) {
    CLI::App *command = app.add_subcommand(entry.name, entry.summary);
    commands.emplace_back(command, entry.add(*command));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return report(1, {error.what()});
  }
  try {
    for (auto &[command, action] : commands)
      if (command->parsed())
        return action();
  } catch (const std::exception &error) {
    return report(3, {std::string("a bug in Froe: ") + error.what()});
  }
  return 0;
}
