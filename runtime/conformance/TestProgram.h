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

/// In a rank: ends the run with `message` unless `condition`.
void require(froe_rt *rt, bool condition, const std::string &message);

} // namespace froe::test
