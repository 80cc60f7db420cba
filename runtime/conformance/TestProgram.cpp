#include "runtime/conformance/TestProgram.h"

#include "runtime/core/Ports.h"
#include "runtime/core/RunRank.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace froe::test {

namespace {

std::function<void(froe_rt *)> currentRun; // inherited by the ranks

froe_program describe(const TestProgram &program) {
  froe_program result{};
  result.abi = FROE_RT_ABI_VERSION;
  result.plan_hash = "test";
  result.mesh_rank = int32_t(program.mesh.size());
  std::ranges::copy(program.mesh, result.mesh);
  result.arena_bytes = program.arenaBytes;
  result.input_count = int32_t(program.inputs.size());
  result.inputs = program.inputs.data();
  result.output_count = int32_t(program.outputs.size());
  result.outputs = program.outputs.data();
  result.weight_count = int32_t(program.weights.size());
  result.weights = program.weights.data();
  result.step_count = int32_t(program.steps.size());
  result.steps = program.steps.data();
  result.run = [](froe_rt *rt) { currentRun(rt); };
  result.device = onCuda() ? FROE_CUDA : FROE_CPU;
  result.image_count = int32_t(program.images.size());
  result.images = program.images.data();
  result.kernel_count = int32_t(program.kernels.size());
  result.kernels = program.kernels.data();
  result.constant_count = int32_t(program.constants.size());
  result.constants = program.constants.data();
  return result;
}

void complete(SessionOptions &options, const TestProgram &program) {
  options.ranks = 1;
  for (int64_t size : program.mesh)
    options.ranks *= int(size);
  options.arenaBytes = program.arenaBytes;
  options.planHash = "test";
  options.graph = options.graph && (!onCuda() || program.recorded);
  for (const froe_port &port : program.inputs)
    options.inputBytes.push_back(rt::globalBytes(port));
  for (const froe_port &port : program.outputs)
    options.outputBytes.push_back(rt::globalBytes(port));
}

} // namespace

std::expected<void, Failure> runRanks(const TestProgram &program, TestRun &run) {
  froe_program described = describe(program);
  complete(run.options, program);
  auto session = Session::create(run.options);
  if (!session)
    return std::unexpected(Failure{3, session.error()});
  for (size_t i = 0; i < run.inputs.size(); ++i)
    std::ranges::copy(run.inputs[i], session->input(int(i)));
  currentRun = program.run;
  auto result = session->run([&](int rank) {
    if (program.beforeStart)
      program.beforeStart(rank);
    rt::runRank(described,
                {rank, run.options.ranks, session->controlFile(), session->tensorFile(), program.weightsFile});
    _exit(0);
  });
  for (size_t i = 0; i < program.outputs.size(); ++i)
    run.outputs.emplace_back(session->output(int(i)), session->output(int(i)) + run.options.outputBytes[i]);
  for (int rank = 0; rank < run.options.ranks; ++rank)
    run.bytesSent.push_back(int64_t(session->control().rank(rank).bytesSent));
  return result;
}

std::expected<void, Failure> runRanks(const TestProgram &program) {
  TestRun run;
  run.options.checkCollectives = true;
  return runRanks(program, run);
}

std::string outcome(const std::expected<void, Failure> &result) { return result ? "done" : result.error().message; }

std::string contentsOf(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void sendErrorsTo(const std::string &file) {
  std::freopen(file.c_str(), "a", stderr);
  std::setvbuf(stderr, nullptr, _IONBF, 0);
}

bool onCuda() {
  const char *device = std::getenv("FROE_TEST_DEVICE");
  return device && device == std::string_view("cuda");
}

bool settled(froe_rt *rt) {
  rt->device->wait();
  return rt->execution >= 0;
}

void require(froe_rt *rt, bool condition, const std::string &message) {
  if (!condition)
    rt::fail(*rt, 3, message);
}

} // namespace froe::test
