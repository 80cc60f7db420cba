#include "Command.h"

#include "froe/Target/StagedFolder.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <thread>

namespace froe {
namespace {

struct Arguments {
  ModelArguments model;
  PlanArguments plan;
  std::string output, emit, dumpFolder, target, cpu = "host";
  bool annotate = false, json = false;
};

/// Memory of this process that is no file's, in bytes.
uint64_t anonymousBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:"))
      return std::stoull(line.substr(8)) * 1024;
  return 0;
}

uint64_t folderBytes(const std::filesystem::path &folder) {
  uint64_t bytes = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file())
      bytes += entry.file_size();
  return bytes;
}

/// SIGINT and SIGTERM end the process with code 130 and leave nothing half written.
void removeOnSignal(const std::string &output) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, output] {
    int number;
    sigwait(&signals, &number);
    std::error_code ignored;
    std::filesystem::remove_all(StagedFolder::stagedPath(output), ignored);
    _exit(130);
  }).detach();
}

int emitPhase(Compilation &compilation, Phase phase, const std::string &output) {
  if (auto done = compilation.advanceTo(phase); !done)
    return report(done.error());
  std::string text = printPhase(compilation.module(), /*elide=*/false);
  if (output.empty() || output == "-") {
    std::cout << text << std::flush;
    return 0;
  }
  std::ofstream stream(output);
  stream << text;
  stream.close();
  return stream ? 0 : report(1, {fmt::format("cannot write '{}'", output)});
}

int compile(const Arguments &arguments) {
  std::optional<Phase> phase = phaseNamed(arguments.emit);
  if (!phase)
    return report(1, {fmt::format("--emit: expected program, plan, rank, kernels, ptx, llvm or exe, found '{}'",
                                  arguments.emit)});
  std::expected<CompileOptions, std::string> options = compileOptions(arguments.model, arguments.plan);
  if (!options)
    return report(1, {options.error()});
  options->dumpFolder = arguments.dumpFolder;
  options->annotate = arguments.annotate;
  options->cpu = arguments.cpu;
  if (!arguments.target.empty()) {
    std::expected<ProgramTarget, std::string> target = ProgramTarget::parse(arguments.target);
    if (!target)
      return report(1, {"--target: " + target.error()});
    options->target = *target;
  }
  uint64_t peakBytes = 0;
  options->progress = [&, line = progressLine()](std::string_view work) {
    peakBytes = std::max(peakBytes, anonymousBytes());
    line(work);
  };
  options->import.needWeights = *phase == Phase::Exe;
  Compilation compilation(*options);
  if (*phase != Phase::Exe)
    return emitPhase(compilation, *phase, arguments.output);
  if (arguments.output.empty())
    return report(1, {"expected -o with the package to write"});

  removeOnSignal(arguments.output);
  if (auto free = StagedFolder::checkTarget(arguments.output); !free)
    return report(1, {free.error()});
  if (auto done = compilation.advanceTo(Phase::LLVM); !done)
    return report(done.error());
  if (auto done = compilation.writePackage(arguments.output); !done)
    return report(done.error());
  peakBytes = std::max(peakBytes, anonymousBytes());

  const Package &package = compilation.package();
  uint64_t packageBytes = folderBytes(arguments.output);
  if (arguments.json) {
    nlohmann::ordered_json seconds;
    for (auto &[name, value] : compilation.seconds())
      seconds[name] = value;
    nlohmann::ordered_json result{{"package", arguments.output},
                                  {"target", compilation.target().str()},
                                  {"cluster", compilation.cluster()},
                                  {"seconds", seconds},
                                  {"peak_bytes", peakBytes},
                                  {"kernels", package.kernels},
                                  {"package_bytes", packageBytes},
                                  {"arena_bytes", package.arenaBytes},
                                  {"ranks", package.mesh.deviceCount()}};
    fmt::print("{}\n", result.dump());
    return 0;
  }
  double total = 0;
  for (auto &[name, value] : compilation.seconds())
    total += value;
  std::string target = compilation.target().isCuda()
                           ? fmt::format("{}, planned for '{}', ", compilation.target().str(), compilation.cluster())
                           : "";
  fmt::print("{}: {}mesh {}, {} kernels, {:.1f} MiB of buffers per rank, {:.1f} MiB on disk, {:.1f} s\n",
             arguments.output, target, package.mesh.str(), package.kernels, package.arenaBytes / 1048576.0,
             packageBytes / 1048576.0, total);
  return 0;
}

} // namespace

Action addCompile(CLI::App &command) {
  auto arguments = std::make_shared<Arguments>();
  addModelOptions(command, arguments->model);
  addPlanOptions(command, arguments->plan);
  command
      .add_option("-o,--output", arguments->output,
                  "package to write (one that is there is replaced), or the --emit file")
      ->type_name("P.froe");
  command
      .add_option("--target", arguments->target,
                  "what ranks run on: cpu (the default), or NVIDIA GPUs: cuda (sm_80, sm_90 and newer), or cuda:sm_90")
      ->type_name("NAME");
  command
      .add_option("--cpu", arguments->cpu,
                  "processor of the ranks by LLVM's name, such as x86-64-v3 (AVX2), where it is not this machine's")
      ->capture_default_str()
      ->type_name("NAME");
  arguments->emit = "exe";
  command
      .add_option("--emit", arguments->emit, "stop at a phase and print it: program, plan, rank, kernels, ptx, llvm")
      ->capture_default_str()
      ->type_name("PHASE");
  command.add_flag("--annotate", arguments->annotate, "say at each op of phase plan what it is taken to cost");
  command
      .add_option("--dump-phases", arguments->dumpFolder,
                  "folder for the program after every phase, large constants left out")
      ->type_name("DIR");
  addJson(command, arguments->json);
  return [arguments] { return compile(*arguments); };
}

} // namespace froe
