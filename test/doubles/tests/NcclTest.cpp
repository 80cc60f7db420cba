// The double of NCCL: ranks are forks of the test, each with a device of its own.
#include "test/doubles/tests/Gpu.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace froe::cuda {
namespace {

/// What a rank has in hand.
struct Rank {
  Gpu gpu;
  int rank, ranks;
  Communicator world;
  Address a, b;

  Rank(int rank, int ranks, UniqueId id) : gpu(rank), rank(rank), ranks(ranks), a(gpu.allocate()), b(gpu.allocate()) {
    NcclConfig config;
    config.blocking = 0;
    ncclCommInitRankConfig(&world, ranks, id, rank, &config);
    settle(world);
    gpu.upload(a, std::vector<float>(kCount, float(rank + 1)));
  }
  static void settle(Communicator communicator) {
    NcclResult result = kNcclInProgress;
    while (result == kNcclInProgress) {
      ncclCommGetAsyncError(communicator, &result);
      usleep(100);
    }
  }
  Communicator split(int color) {
    Communicator part;
    ncclCommSplit(world, color, rank, &part, nullptr);
    settle(world);
    return part;
  }
  void *in() const { return reinterpret_cast<void *>(a); }
  void *out() const { return reinterpret_cast<void *>(b); }
  void allReduce(Communicator communicator, size_t count = kCount, NcclReduction reduction = kNcclSum,
                 NcclType type = kNcclF32) {
    ncclAllReduce(in(), out(), count, type, reduction, communicator, gpu.compute);
  }
  float first() { return gpu.download(b, 1, gpu.compute)[0]; }
};

/// 0, or the first exit code that is not; `errors` gets what all wrote to stderr.
int runRanks(int ranks, const std::function<int(Rank &)> &body, std::string &errors) {
  UniqueId id;
  ncclGetUniqueId(&id);
  std::FILE *messages = std::tmpfile();
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank)
    if (pid_t child = fork())
      children.push_back(child);
    else {
      dup2(fileno(messages), STDERR_FILENO);
      setenv("FROE_DOUBLE_TIMEOUT", "700", 1);
      Rank context(rank, ranks, id);
      int result = body(context);
      cuStreamSynchronize(context.gpu.compute);
      _exit(result);
    }
  int result = 0;
  for (pid_t child : children) {
    int status;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result = result ? result : code;
  }
  errors.resize(1 << 14);
  std::rewind(messages);
  errors.resize(std::fread(errors.data(), 1, errors.size(), messages));
  std::fclose(messages);
  return result;
}

int expect(float found, float wanted) { return found == wanted ? 0 : 1; }

TEST(NcclDouble, FiftyCleanRunsRaiseNoAlarm) {
  std::string errors;
  for (int run = 0; run < 50; ++run)
    EXPECT_EQ(runRanks(
                  2,
                  [](Rank &rank) {
                    rank.allReduce(rank.world);
                    return expect(rank.first(), 3);
                  },
                  errors),
              0)
        << errors;
}

TEST(NcclDouble, CollectivesOverSplitCommunicators) {
  std::string errors;
  auto body = [](Rank &rank) {
    Communicator row = rank.split(rank.rank / 2); // {0, 1}, {2, 3}
    rank.allReduce(row);
    int wrong = expect(rank.first(), rank.rank < 2 ? 3 : 7);
    rank.allReduce(rank.world, kCount, kNcclMax);
    wrong += expect(rank.first(), 4);
    ncclAllGather(rank.in(), rank.out(), 100, kNcclF32, row, rank.gpu.compute);
    wrong += expect(rank.gpu.download(rank.b + 400, 1, rank.gpu.compute)[0], rank.rank < 2 ? 2 : 4);
    ncclReduceScatter(rank.in(), rank.out(), 100, kNcclF32, kNcclSum, rank.world, rank.gpu.compute);
    wrong += expect(rank.first(), 10);
    ncclBroadcast(rank.in(), rank.out(), kCount, kNcclF32, 2, rank.world, rank.gpu.compute);
    wrong += expect(rank.first(), 3);
    return wrong;
  };
  EXPECT_EQ(runRanks(4, body, errors), 0) << errors;
}

TEST(NcclDouble, RingsOfSendsNeedAGroup) {
  std::string errors;
  auto body = [](Rank &rank) {
    ncclGroupStart();
    ncclSend(rank.in(), kCount, kNcclF32, (rank.rank + 1) % rank.ranks, rank.world, rank.gpu.compute);
    ncclRecv(rank.out(), kCount, kNcclF32, (rank.rank + rank.ranks - 1) % rank.ranks, rank.world, rank.gpu.compute);
    ncclGroupEnd();
    return expect(rank.first(), float((rank.rank + 2) % 3 + 1));
  };
  EXPECT_EQ(runRanks(3, body, errors), 0) << errors;
}

TEST(NcclDouble, HalfPrecisionIsSummedInSingle) {
  std::string errors;
  auto body = [](Rank &rank) { // 256 + 1 + 1 + 1 in bf16 alone would stay 256
    uint16_t value = rank.rank == 0 ? 0x4380 : 0x3f80;
    cuMemcpyHtoDAsync_v2(rank.a, &value, 2, rank.gpu.compute);
    rank.allReduce(rank.world, 1, kNcclSum, kNcclBF16);
    cuMemcpyDtoHAsync_v2(&value, rank.b, 2, rank.gpu.compute);
    return value == 0x4382 ? 0 : 1; // 260: 259 rounded to even
  };
  EXPECT_EQ(runRanks(4, body, errors), 0) << errors;
}

TEST(NcclDouble, AnAbortReachesTheOthers) {
  std::string errors;
  auto body = [](Rank &rank) {
    if (rank.rank == 1) {
      ncclCommAbort(rank.world);
      return 0;
    }
    rank.allReduce(rank.world);
    NcclResult error = kNcclSuccess;
    while (error == kNcclSuccess)
      ncclCommGetAsyncError(rank.world, &error);
    return error == kNcclRemoteError ? 0 : 1;
  };
  EXPECT_EQ(runRanks(2, body, errors), 0) << errors;
}

struct Mismatch {
  const char *name;
  void (*body)(Rank &rank);
  const char *message;
};

class Mismatches : public testing::TestWithParam<Mismatch> {};

TEST_P(Mismatches, AreNamed) {
  std::string errors;
  auto body = [](Rank &rank) {
    GetParam().body(rank);
    return 0;
  };
  EXPECT_EQ(runRanks(2, body, errors), kAlarm);
  EXPECT_THAT(errors, testing::ContainsRegex(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    NcclDouble, Mismatches,
    testing::Values(
        Mismatch{"Count", [](Rank &rank) { rank.allReduce(rank.world, rank.rank ? 500 : 1000); },
                 "does not match: rank .: AllReduce of 500 f32|AllReduce of 1000 f32"},
        Mismatch{"Type", [](Rank &rank) { rank.allReduce(rank.world, 10, kNcclSum, rank.rank ? kNcclI32 : kNcclF32); },
                 "AllReduce of 10 i32"},
        Mismatch{"Reduction", [](Rank &rank) { rank.allReduce(rank.world, 10, rank.rank ? kNcclSum : kNcclMax); },
                 "AllReduce of 10 f32 .max."},
        Mismatch{"Order",
                 [](Rank &rank) {
                   for (int i : {rank.rank, 1 - rank.rank})
                     i ? rank.allReduce(rank.world, 10)
                       : void(ncclAllGather(rank.in(), rank.out(), 10, kNcclF32, rank.world, rank.gpu.compute));
                 },
                 "AllGather of 10 f32"},
        Mismatch{"MissingRank",
                 [](Rank &rank) {
                   if (rank.rank == 0)
                     rank.allReduce(rank.world);
                 },
                 "rank 0 of 2 waits in call #1, AllReduce of 1000 f32 .sum., on communicator .* for rank 1"},
        Mismatch{"SwappedCommunicator",
                 [](Rank &rank) {
                   Communicator one = rank.split(0), two = rank.split(0);
                   rank.allReduce(rank.rank ? one : two);
                 },
                 "waits in call #1, AllReduce"},
        Mismatch{"MessageSize",
                 [](Rank &rank) {
                   rank.rank ? ncclSend(rank.in(), 10, kNcclF32, 0, rank.world, rank.gpu.compute)
                             : ncclRecv(rank.out(), 11, kNcclF32, 1, rank.world, rank.gpu.compute);
                 },
                 "rank 1 sends Send of 10 f32, rank 0 expects Recv of 11 f32"},
        Mismatch{"BufferTooSmall", [](Rank &rank) { rank.allReduce(rank.world, 2000); },
                 "AllReduce of 2000 f32 .sum. .input. of 8000 bytes .* goes beyond"}),
    [](const auto &info) { return info.param.name; });

} // namespace
} // namespace froe::cuda
