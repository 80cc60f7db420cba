// Runs small hand-written programs on forked ranks, without a package.
#pragma once

#include "runtime/core/Context.h"
#include "runtime/launch/Session.h"

#include <functional>
#include <string>
#include <vector>

namespace froe::test {

/// A program whose `run` is any C++ function. Each rank is a fork of the test, so the function sees the test's
/// variables as they were.
struct TestProgram {
  std::vector<int64_t> mesh;
  std::function<void(froe_rt *)> run;
  std::vector<froe_step> steps{{"node", "kernel"}};
  uint64_t arenaBytes = 1 << 20;
  std::vector<froe_port> inputs, outputs;
  std::function<void(int rank)> beforeStart; // in the rank's process
  std::string weightsFile;
  std::vector<froe_weight> weights;
  // Of programs for devices.
  std::vector<froe_image> images;
  std::vector<froe_device_kernel> kernels;
  std::vector<froe_constant> constants;
  bool recorded = false; // `run` does nothing but call the runtime, so that it may be recorded
};

/// Times and checks as in SessionOptions; everything that follows from the program is filled in here.
struct TestRun {
  SessionOptions options;
  std::vector<std::vector<std::byte>> inputs;

  std::vector<std::vector<std::byte>> outputs; // afterwards
  std::vector<int64_t> bytesSent;              // by rank
};

/// Collectives are checked unless `run.options` is told otherwise.
std::expected<void, Failure> runRanks(const TestProgram &program, TestRun &run);
std::expected<void, Failure> runRanks(const TestProgram &program);

/// The message of a failure, "done" if there is none.
std::string outcome(const std::expected<void, Failure> &result);

/// "" if there is no such file.
std::string contentsOf(const std::string &file);
/// In a rank: what it writes to stderr is added to `file`, at once.
void sendErrorsTo(const std::string &file);

/// Whether programs are for CUDA devices: FROE_TEST_DEVICE=cuda is set. They run on the doubles then, whose memory the
/// host sees, without recording, so that a test's function may fill and look at the arena.
bool onCuda();

/// In a rank: waits for the steps so far. False if they were only looked at, so that there are no results.
bool settled(froe_rt *rt);

/// In a rank: ends the run with `message` unless `condition`.
void require(froe_rt *rt, bool condition, const std::string &message);

} // namespace froe::test
