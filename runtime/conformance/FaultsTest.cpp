// What happens when a rank dies, hangs, or does another collective than the others.
#include "runtime/conformance/TestProgram.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace froe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kVictim = 1;
constexpr froe_axes kAxes{1, {0}};

void sum(froe_rt *rt, int step, int64_t count = 16, froe_type type = FROE_F32, froe_reduce reduce = FROE_SUM) {
  froe_rt_all_reduce(rt, step, &kAxes, reduce, type, count, rt->arena, rt->arena);
}

int32_t callBody(void *const *buffers, int64_t, int64_t) {
  return (*static_cast<std::function<int32_t()> *>(buffers[0]))();
}

/// A sum, then a kernel in which only the victim does `body`, then sums that the victim may never reach.
TestProgram programWithVictim(std::function<int32_t()> body) {
  TestProgram program;
  program.mesh = {3};
  program.steps = {{"first", "all_reduce"}, {"middle/1", "multiply"}, {"last", "all_reduce"}};
  program.run = [body](froe_rt *rt) {
    sum(rt, 0);
    std::function<int32_t()> inKernel = [&] { return rt->rank == kVictim ? body() : 0; };
    void *buffers[] = {&inKernel};
    froe_rt_kernel(rt, 1, callBody, buffers, 1, 1);
    for (int i = 0; i < 100; ++i)
      sum(rt, 2);
  };
  return program;
}

void expectFailure(const std::expected<void, Failure> &result, int exitCode,
                   const testing::Matcher<std::string> &message) {
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, message);
  EXPECT_EQ(result.error().exitCode, exitCode);
}

struct Death {
  const char *name;
  std::function<int32_t()> body;
  const char *how;
};

class Deaths : public testing::TestWithParam<Death> {};

TEST_P(Deaths, EndTheOthersAndAreNamed) {
  for (bool check : {false, true}) {
    TestRun run;
    run.options.checkCollectives = check;
    expectFailure(runRanks(programWithVictim(GetParam().body), run), 4,
                  AllOf(StartsWith("rank 1 "), HasSubstr(GetParam().how), HasSubstr("step 1 'middle/1' (multiply)")));
  }
}

[[noreturn]] int32_t die(int signal) {
  prctl(PR_SET_DUMPABLE, 0); // no core file
  std::signal(signal, SIG_DFL);
  raise(signal);
  _exit(99);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, Deaths,
    testing::Values(Death{"Sigkill", [] { return die(SIGKILL); }, "was killed by signal 9 (SIGKILL)"},
                    Death{"Sigsegv", [] { return die(SIGSEGV); }, "was killed by signal 11 (SIGSEGV)"},
                    Death{"Exit0",
                          [] {
                            _exit(0);
                            return 0;
                          },
                          "exited with code 0 before it was done"},
                    Death{"Exit3",
                          [] {
                            _exit(3);
                            return 0;
                          },
                          "exited with code 3 before it was done"}),
    [](const auto &info) { return info.param.name; });

TEST(Faults, OfAKernelNameTheNode) {
  expectFailure(runRanks(programWithVictim([] { return FROE_FAULT_INDEX; })), 1,
                StartsWith("node 'middle/1': index out of range (rank 1, step 1"));
  expectFailure(runRanks(programWithVictim([] { return FROE_FAULT_DIVISION; })), 1,
                StartsWith("node 'middle/1': integer division by zero"));
}

TEST(Faults, OfTheLastStepAreNotLost) {
  TestProgram program;
  program.mesh = {1};
  program.run = [](froe_rt *rt) {
    std::function<int32_t()> body = [] { return FROE_FAULT_INDEX; };
    void *buffers[] = {&body};
    froe_rt_kernel(rt, 0, callBody, buffers, 1, 1);
  };
  expectFailure(runRanks(program), 1, HasSubstr("index out of range"));
}

[[noreturn]] int32_t hang() {
  for (;;)
    pause();
}

TEST(Faults, AHangEndsAtTheDeadlineAndTheLaggardIsShown) {
  TestRun run;
  run.options.collectiveTimeoutSeconds = 0.2;
  expectFailure(runRanks(programWithVictim(hang), run), 4,
                AllOf(HasSubstr("waited 0.2 s for rank 1 in step 2 'last' (all_reduce)"),
                      HasSubstr("\n  rank 1: execution 0, step 1 'middle/1' (multiply)")));
}

TEST(Faults, AHangBeforeTheStart) {
  TestProgram program = programWithVictim([] { return 0; });
  program.beforeStart = [](int rank) {
    if (rank == kVictim)
      hang();
  };
  TestRun run;
  run.options.initTimeoutSeconds = 0.2;
  expectFailure(runRanks(program, run), 4,
                AllOf(HasSubstr("waited 0.2 s for rank 1 in no step yet"), HasSubstr("\n  rank 1: not started yet")));
}

TEST(Faults, AHangOfASingleRankBeforeTheStart) {
  TestProgram program;
  program.mesh = {1};
  program.beforeStart = [](int) { hang(); };
  TestRun run;
  run.options.initTimeoutSeconds = 0.01;
  expectFailure(runRanks(program, run), 4, HasSubstr("rank 0 was not ready in time"));
}

/// All ranks but the victim sum 16 f32.
void expectMismatch(std::function<void(froe_rt *)> victims, const testing::Matcher<std::string> &message) {
  TestProgram program;
  program.mesh = {3};
  program.steps = {{"first", "all_reduce"}, {"second", "all_reduce"}};
  program.run = [victims](froe_rt *rt) {
    sum(rt, 0);
    rt->rank == kVictim ? victims(rt) : sum(rt, 1);
  };
  expectFailure(runRanks(program), 3, AllOf(StartsWith("collectives do not match: "), message));
}

TEST(Mismatch, OfCount) {
  expectMismatch([](froe_rt *rt) { sum(rt, 1, 8); },
                 AllOf(HasSubstr("all_reduce sum of f32, sizes [16]"),
                       HasSubstr("rank 1: all_reduce sum of f32, sizes [8]"), HasSubstr("#1, step 1 'second'")));
}

TEST(Mismatch, OfType) {
  expectMismatch([](froe_rt *rt) { sum(rt, 1, 16, FROE_BF16); },
                 AllOf(HasSubstr("sum of f32"), HasSubstr("sum of bf16")));
}

TEST(Mismatch, OfReduction) {
  expectMismatch([](froe_rt *rt) { sum(rt, 1, 16, FROE_F32, FROE_MAX); },
                 AllOf(HasSubstr("sum of"), HasSubstr("max of")));
}

TEST(Mismatch, OfOperation) {
  expectMismatch(
      [](froe_rt *rt) { froe_rt_all_gather(rt, 1, &kAxes, FROE_F32, 1, 16, 1, rt->arena, rt->arena + 1024); },
      AllOf(HasSubstr("all_reduce"), HasSubstr("rank 1: all_gather of f32, sizes [1, 16, 1]")));
}

TEST(Mismatch, OfBuffers) {
  expectMismatch(
      [](froe_rt *rt) { froe_rt_all_reduce(rt, 1, &kAxes, FROE_SUM, FROE_F32, 16, rt->arena, rt->arena + 64); },
      AllOf(HasSubstr("arena 0 to 0"), HasSubstr("arena 0 to 64")));
}

TEST(Mismatch, OfStep) {
  expectMismatch([](froe_rt *rt) { sum(rt, 0); }, AllOf(HasSubstr("'first'"), HasSubstr("'second'")));
}

TEST(Mismatch, MissingCollective) {
  expectMismatch([](froe_rt *) {}, HasSubstr("rank 1: the end of the execution"));
}

TEST(Mismatch, OfGroup) {
  TestProgram program;
  program.mesh = {2, 2};
  program.run = [](froe_rt *rt) {
    froe_axes axes{1, {rt->rank == kVictim}};
    froe_rt_all_reduce(rt, 0, &axes, FROE_SUM, FROE_F32, 16, rt->arena, rt->arena);
  };
  expectFailure(runRanks(program), 3, AllOf(HasSubstr("axes [0]"), HasSubstr("axes [1]")));
}

TEST(Mismatch, OfReductionAndType) {
  TestProgram program;
  program.mesh = {2};
  program.run = [](froe_rt *rt) { sum(rt, 0, 16, FROE_F32, FROE_AND); };
  expectFailure(runRanks(program), 3, HasSubstr("this reduction is not defined for f32"));
}

TEST(Signals, InterruptEndsAllRanks) {
  for (int signal : {SIGINT, SIGTERM})
    expectFailure(runRanks(programWithVictim([signal] {
                    kill(getppid(), signal);
                    return hang();
                  })),
                  130, HasSubstr("interrupted by SIG"));
}

TEST(Signals, InterruptEndsRanksThatIgnoreIt) {
  expectFailure(runRanks(programWithVictim([] {
                  std::signal(SIGINT, SIG_IGN);
                  kill(getppid(), SIGINT);
                  kill(getppid(), SIGINT);
                  return hang();
                })),
                130, HasSubstr("interrupted by SIGINT"));
}

/// Every rank holds the pipe's writing end: reading ends when the last of them is gone.
TEST(Signals, NoRankOutlivesAKilledLauncher) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t launcher = fork();
  if (launcher == 0) {
    (void)runRanks(programWithVictim([&] {
      (void)!write(ends[1], "x", 1);
      return hang();
    }));
    _exit(0);
  }
  close(ends[1]);
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(launcher, SIGKILL);
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
  waitpid(launcher, nullptr, 0);
}

TEST(Runs, TwoAtATimeDoNotMeet) {
  pid_t other = fork();
  if (other == 0)
    _exit(runRanks(programWithVictim([] { return 0; })) ? 0 : 1);
  EXPECT_EQ(outcome(runRanks(programWithVictim([] { return 0; }))), "done");
  int status = -1;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace froe::test
