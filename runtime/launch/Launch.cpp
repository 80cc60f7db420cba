#include "runtime/launch/Launch.h"

#include "runtime/core/ElementType.h"
#include "runtime/launch/Inputs.h"
#include "runtime/launch/Manifest.h"
#include "runtime/launch/Outputs.h"
#include "runtime/launch/Session.h"
#include "runtime/launch/Trace.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace froe {

namespace {

std::unexpected<Failure> wrong(std::string message) { return std::unexpected(Failure{1, std::move(message)}); }

bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && std::string_view(value) == "1";
}

uint64_t bytesOf(const Manifest::Tensor &tensor) {
  return uint64_t(elementsOf(tensor.shape).value_or(0) * rt::elementType(tensor.type).bytes);
}

SessionOptions sessionOptions(const Manifest &manifest, const RunOptions &options) {
  SessionOptions session;
  session.ranks = manifest.ranks;
  int share = int(usableCores().size()) / manifest.ranks;
  session.threads = options.threads > 0 ? options.threads : std::max(share, 1);
  session.warmup = options.warmup;
  session.repeat = options.repeat;
  session.arenaBytes = manifest.arenaBytes;
  session.planHash = manifest.planHash;
  for (const Manifest::Tensor &tensor : manifest.inputs)
    session.inputBytes.push_back(bytesOf(tensor));
  for (const Manifest::Tensor &tensor : manifest.outputs)
    session.outputBytes.push_back(bytesOf(tensor));
  session.trace = !options.trace.empty();
  session.checkCollectives = options.check || isSet("FROE_CHECK_COLLECTIVES");
  session.graph = options.graph;
  session.pin = options.pin;
  session.initTimeoutSeconds = options.timeoutSeconds.value_or(session.initTimeoutSeconds);
  session.collectiveTimeoutSeconds = options.timeoutSeconds.value_or(session.collectiveTimeoutSeconds);
  return session;
}

/// The plug-in for GPUs that was built with this `froe`, in ../lib beside it; empty if there is none.
std::filesystem::path ownPlugin() {
  std::error_code none;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  std::filesystem::path plugin = self.parent_path().parent_path() / "lib" / "libfroe_cuda.so";
  return std::filesystem::exists(plugin, none) ? plugin : std::filesystem::path();
}

/// The environment of one rank: this process's, with what libraries read once at their start, and what rt::discoverRank
/// reads.
class RankVariables {
public:
  RankVariables(int rank, const SessionOptions &options, const Session &session) {
    for (char **variable = environ; *variable; ++variable)
      texts.push_back(*variable);
    set("FROE_RANK", rank);
    set("FROE_WORLD_SIZE", options.ranks);
    set("FROE_SHM_FD", session.controlFile());
    set("FROE_IO_FD", session.tensorFile());
    set("OMP_NUM_THREADS", options.threads);
    if (!std::getenv("OMP_WAIT_POLICY"))
      texts.push_back("OMP_WAIT_POLICY=passive");
    if (std::filesystem::path plugin = ownPlugin(); !std::getenv("FROE_CUDA_PLUGIN") && !plugin.empty())
      texts.push_back(fmt::format("FROE_CUDA_PLUGIN={}", plugin.string()));
    for (std::string &text : texts)
      pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  char **get() { return pointers.data(); }

private:
  void set(std::string_view name, int value) {
    std::string start = fmt::format("{}=", name);
    std::erase_if(texts, [&](const std::string &text) { return text.starts_with(start); });
    texts.push_back(fmt::format("{}{}", start, value));
  }

  std::vector<std::string> texts;
  std::vector<char *> pointers;
};

std::expected<void, Failure> runProgram(const std::filesystem::path &program, Session &session,
                                        const SessionOptions &options) {
  std::vector<std::unique_ptr<RankVariables>> variables;
  for (int rank = 0; rank < options.ranks; ++rank)
    variables.push_back(std::make_unique<RankVariables>(rank, options, session));
  std::string path = std::filesystem::absolute(program).string();
  char *arguments[] = {path.data(), nullptr};
  return session.run([&](int rank) {
    fcntl(session.controlFile(), F_SETFD, 0);
    fcntl(session.tensorFile(), F_SETFD, 0);
    execve(path.c_str(), arguments, variables[size_t(rank)]->get());
    session.control().claimFailure(rank, 1, fmt::format("{}: cannot be started: {}", path, strerror(errno)));
    _exit(127);
  });
}

RankResult rankResult(const rt::Control &control, int rank) {
  const rt::RankRecord &record = control.rank(rank);
  double perExecution = 1e-6 / control.header().repeat;
  RankResult result;
  result.rank = rank;
  result.peakBytes = record.peakBytes;
  result.arenaBytes = control.header().arenaBytes;
  result.bytesSent = record.bytesSent;
  result.communicationMs = double(record.communicationNanoseconds) * perExecution;
  result.computeMs = double(record.runNanoseconds - record.communicationNanoseconds) * perExecution;
  return result;
}

RunResult gather(const Manifest &manifest, const Session &session, std::chrono::steady_clock::time_point started) {
  const rt::Control &control = session.control();
  const rt::ControlHeader &header = control.header();
  RunResult result;
  for (int i = 0; i < header.repeat; ++i)
    result.latenciesMs.push_back(double(control.latency(header.warmup + i)) * 1e-6);
  auto startedNanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(started.time_since_epoch()).count();
  result.firstOutputMs = double(header.firstOutputNanoseconds - startedNanoseconds) * 1e-6;
  for (int rank = 0; rank < header.worldSize; ++rank)
    result.ranks.push_back(rankResult(control, rank));
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const Manifest::Tensor &tensor = manifest.outputs[i];
    const std::byte *data = session.output(int(i));
    result.outputs.push_back({tensor.name, "", Array{tensor.type, tensor.shape, {data, data + bytesOf(tensor)}}});
  }
  return result;
}

std::string checkOptions(const RunOptions &options) {
  if (options.warmup < 0 || options.repeat < 1 || options.threads < 0)
    return fmt::format("{} warm-up executions, {} timed ones, {} threads: expected at least 0, 1 and 0", options.warmup,
                       options.repeat, options.threads);
  if (!options.outputDirectory.empty() && std::filesystem::exists(options.outputDirectory) &&
      !std::filesystem::is_directory(options.outputDirectory))
    return fmt::format("{}: is not a directory", options.outputDirectory.string());
  return {};
}

std::expected<Manifest, std::string> openPackage(const RunOptions &options) {
  auto manifest = readManifest(options.package);
  if (!manifest)
    return manifest;
  if (options.ranks != 0 && options.ranks != manifest->ranks)
    return std::unexpected(fmt::format("{}: was compiled for {} ranks, not for {}", options.package.string(),
                                       manifest->ranks, options.ranks));
  if (manifest->ranks > rt::kMaxRanks)
    return std::unexpected(fmt::format("{}: {} ranks are more than the {} of one host", options.package.string(),
                                       manifest->ranks, rt::kMaxRanks));
  if (auto checked = checkProcessor(options.package, *manifest); !checked)
    return std::unexpected(checked.error());
  if (auto checked = checkPackage(options.package, *manifest, options.check); !checked)
    return std::unexpected(checked.error());
  return manifest;
}

} // namespace

std::expected<RunResult, Failure> launch(const RunOptions &options) {
  auto started = options.started.value_or(std::chrono::steady_clock::now());
  if (std::string message = checkOptions(options); !message.empty())
    return wrong(message);
  auto manifest = openPackage(options);
  if (!manifest)
    return wrong(manifest.error());
  auto inputs = collectInputs(*manifest, options);
  if (!inputs)
    return wrong(inputs.error());

  SessionOptions sessionOptions = froe::sessionOptions(*manifest, options);
  auto session = Session::create(sessionOptions);
  if (!session)
    return wrong(session.error());
  for (size_t i = 0; i < inputs->size(); ++i)
    std::ranges::copy((*inputs)[i].data, session->input(int(i)));
  if (auto ran = runProgram(options.package / manifest->program.name, *session, sessionOptions); !ran)
    return std::unexpected(ran.error());

  RunResult result = gather(*manifest, *session, started);
  if (!options.outputDirectory.empty())
    if (auto written = writeOutputs(options.outputDirectory, result.outputs); !written)
      return wrong(written.error());
  if (!options.trace.empty())
    if (auto written = writeTrace(options.trace, session->control()); !written)
      return wrong(written.error());
  return result;
}

} // namespace froe
