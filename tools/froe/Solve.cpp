#include "Command.h"

#include "froe/Planning/Anytime.h"
#include "froe/Planning/ContestFile.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>

namespace froe {
namespace {

struct SolveArguments {
  std::string problem, solution;
  double seconds = 60;
  int threads = 0;
  uint64_t seed = 0;
  bool json = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// Largest memory of this process so far that is no file's, in bytes.
int64_t peakBytes() {
  int64_t peak = 0, files = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      peak = std::stoll(line.substr(6)) * 1024;
    else if (line.starts_with("RssFile:"))
      files = std::stoll(line.substr(8)) * 1024;
  return peak - files;
}

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int writeSolution(const std::string &path, const std::vector<int> &choice) {
  std::ofstream file(path);
  file << nlohmann::json(choice).dump() << '\n';
  if (!file.flush())
    return report(1, {fmt::format("'{}' cannot be written: {}", path, std::strerror(errno))});
  return 0;
}

int reportNone(const SolveArguments &arguments, const NoPlan &none, double seconds) {
  const char *why = none.proven ? "no choice fits" : "no choice that fits was found in time";
  if (arguments.json)
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"feasible", false}, {"proven", none.proven}, {"seconds", seconds}, {"peak_bytes", peakBytes()}}
                   .dump());
  return report(1, {fmt::format("{}: {}", arguments.problem, why)});
}

void print(const SolveArguments &arguments, const Solution &solution, double seconds) {
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"feasible", true},
                                              {"cost", solution.cost},
                                              {"bound", solution.bound},
                                              {"gap", solution.gap()},
                                              {"seconds", seconds},
                                              {"peak_bytes", peakBytes()}}
                           .dump());
    return;
  }
  fmt::print("cost     {:.0f}\n", solution.cost);
  fmt::print("bound    {:.0f}\n", solution.bound);
  fmt::print("gap      {}\n", solution.gap() > 0 ? fmt::format("{:.3f}%", 100 * solution.gap()) : "0, proven best");
  fmt::print("seconds  {:.2f}\n", seconds);
  fmt::print("memory   {:.0f} MiB\n", double(peakBytes()) / (1 << 20));
}

int solveFile(const SolveArguments &arguments) {
  auto start = std::chrono::steady_clock::now();
  if (!(arguments.seconds > 0 && arguments.seconds < 1e6))
    return report(1, {fmt::format("--time-limit: expected seconds above 0, found {}", arguments.seconds)});
  if (arguments.threads < 0)
    return report(1, {fmt::format("--threads: expected at least 1, found {}", arguments.threads)});
  std::expected<Problem, std::string> problem = readContestProblem(arguments.problem);
  if (!problem)
    return report(1, {problem.error()});
  std::signal(SIGINT, [](int) { interrupted = 1; });
  AnytimeOptions options{.seed = arguments.seed,
                         .seconds = arguments.seconds,
                         .spentSeconds = secondsSince(start),
                         .threads = arguments.threads > 0 ? arguments.threads : 2,
                         .cancelled = [] { return interrupted != 0; }};
  std::expected<Solution, NoPlan> solution = solveAnytime(*problem, options);
  std::signal(SIGINT, SIG_DFL);
  if (!solution)
    return interrupted ? 130 : reportNone(arguments, solution.error(), secondsSince(start));
  if (auto wrong = verify(*problem, *solution))
    return report(3, {"a bug in Froe: the solution is wrong: " + *wrong});
  if (!arguments.solution.empty())
    if (int code = writeSolution(arguments.solution, solution->choice))
      return code;
  print(arguments, *solution, secondsSince(start));
  return interrupted ? 130 : 0;
}

} // namespace

Action addSolve(CLI::App &command) {
  auto arguments = std::make_shared<SolveArguments>();
  command.add_option("problem", arguments->problem, "problem of the 2025 contest (google/iopddl), .json or .json.gz")
      ->required();
  command.add_option("--time-limit", arguments->seconds, "seconds to end in (60)");
  command.add_option("--threads", arguments->threads, "threads; the answer does not depend on them (2)");
  command.add_option("--seed", arguments->seed, "of the random moves (0)");
  command.add_option("--solution", arguments->solution, "file for the choice: a JSON list of strategy numbers");
  addJson(command, arguments->json);
  return [arguments] { return solveFile(*arguments); };
}

} // namespace froe
