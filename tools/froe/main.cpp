#include "Command.h"

#include <fmt/core.h>

using namespace froe;

int main(int argc, char **argv) {
  CLI::App app("Splits a model along its grain: an ONNX file becomes one program for all ranks.", "froe");
  app.set_version_flag("--version", "froe " FROE_VERSION);
  app.require_subcommand(0, 1);
  struct Entry {
    const char *name, *summary;
    Action (*add)(CLI::App &);
  };
  constexpr Entry entries[] = {
      {"compile", "turn an ONNX model into a package: one program and its weights for all ranks", addCompile},
      {"plan", "say how a model would be sharded and what that costs; reads no weights", addPlan},
      {"explain", "say what a package's plan is, what it costs, and what else was considered", addExplain},
      {"run", "start the ranks of a package, feed them inputs, gather their outputs", addRun},
      {"verify", "compare a package with the unsharded model on made-up inputs", addVerify},
      {"ops", "list the ONNX operators that are supported", addOps},
      {"check", "say what a model needs that is not supported", addCheck},
      {"calibrate", "measure this machine and write a cluster file for --cluster", addCalibrate},
      {"solve", "solve a problem of the public contest on intra-operator parallelism", addSolve},
      {"doctor", "check that this machine can compile and run programs", addDoctor},
  };
  std::vector<std::pair<CLI::App *, Action>> commands;
  for (const Entry &entry : entries) {
    CLI::App *command = app.add_subcommand(entry.name, entry.summary);
    commands.emplace_back(command, entry.add(*command));
  }
  app.footer( // after the commands, which would take it over
      "froe COMMAND --help lists a command's options.\n"
      "Exit codes: 0 done, 1 the input is wrong, 2 not supported, 3 a bug in Froe, 4 a rank failed, 130 interrupted.");
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
  return report(1, {"expected a command; `froe --help` lists them"});
}
