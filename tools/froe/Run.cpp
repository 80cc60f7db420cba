#include "Parser.h"

#include "runtime/core/ElementType.h"
#include "runtime/launch/Launch.h"

#include <fmt/format.h>

namespace froe {
namespace {

struct Arguments {
  RunOptions options;
  std::string package, outputDirectory, trace;
  std::vector<std::string> inputs;
  bool json = false;
};

void printResult(const RunResult &result) {
  fmt::print(
      "latency: median {:.3f} ms, min {:.3f}, p90 {:.3f}, p99 {:.3f} ({} executions); first output after {:.0f} ms\n",
      result.latencyMs(0.5), result.latencyMs(0), result.latencyMs(0.9), result.latencyMs(0.99),
      result.latenciesMs.size(), result.firstOutputMs);
  for (const RankResult &rank : result.ranks)
    fmt::print("rank {}: compute {:.3f} ms, communication {:.3f} ms, sent {} bytes, peak memory {:.1f} MiB\n",
               rank.rank, rank.computeMs, rank.communicationMs, rank.bytesSent, rank.peakBytes / 1048576.0);
  for (const OutputResult &output : result.outputs)
    fmt::print("output '{}': {}{}\n", output.name, describe(output.array.type, output.array.shape),
               output.file.empty() ? "" : " in " + output.file);
}

int run(Arguments arguments) {
  RunOptions &options = arguments.options;
  options.package = arguments.package;
  options.outputDirectory = arguments.outputDirectory;
  options.trace = arguments.trace;
  for (const std::string &text : arguments.inputs) {
    auto parts = splitAssignment(text);
    if (!parts)
      return report(1, {fmt::format("--input: expected NAME=FILE.npy, found '{}'", text)});
    if (!options.inputs.emplace(parts->first, std::filesystem::path(parts->second)).second)
      return report(1, {fmt::format("--input: '{}' is given twice", parts->first)});
  }
  std::expected<RunResult, froe::Failure> result = launch(options);
  if (!result)
    return report(result.error().exitCode, {result.error().message});
  if (arguments.json)
    fmt::print("{}\n", to_json(*result).dump());
  else
    printResult(*result);
  return 0;
}

} // namespace

Action addRun(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  RunOptions &options = arguments->options;
  options.started = std::chrono::steady_clock::now();
  command.add_option("package", arguments->package, "package to run")->required()->type_name("P.froe");
  command.add_option("-n,--ranks", options.ranks, "ranks; must be the package's, which is the default")
      ->check(positive())
      ->type_name("N");
  command.add_option("--input", arguments->inputs, "an input; once for each")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE.npy");
  command.add_flag("--random", options.randomInputs, "make up inputs that are not given");
  command.add_option("--seed", options.seed, "of made-up inputs")->capture_default_str()->type_name("N");
  command.add_option("--random-limit", options.randomLimit, "made-up integers are below this")
      ->check(positive())
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--output-dir", arguments->outputDirectory, "folder for outputs as .npy files; is created")
      ->type_name("DIR");
  command.add_option("--warmup", options.warmup, "executions before the timed ones")
      ->check(notNegative())
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--repeat", options.repeat, "timed executions")
      ->check(positive())
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--threads", options.threads, "threads of each rank; default: cores divided by ranks")
      ->check(positive())
      ->type_name("N");
  command.add_option("--trace", arguments->trace, "file for a time line that Chrome and Perfetto show")
      ->type_name("FILE");
  command.add_flag("--check", options.check,
                   "check the contents of the weights as well, and before each collective that all ranks agree");
  command.add_flag_callback(
      "--no-graph", [&options] { options.graph = false; },
      "on GPUs, launch each step anew instead of recording an execution and playing it again");
  command.add_flag_callback("--no-pin", [&options] { options.pin = false; }, "do not bind ranks to cores");
  command
      .add_option("--timeout", options.timeoutSeconds,
                  "seconds that ranks wait for others; default: 120 at the start, then 60")
      ->check(positive())
      ->type_name("S");
  addJson(command, arguments->json);
  return [arguments] { return run(*arguments); };
}

} // namespace froe
