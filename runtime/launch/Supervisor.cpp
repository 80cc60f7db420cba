#include "runtime/launch/Supervisor.h"

#include "runtime/core/Wait.h"
#include "runtime/launch/Session.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace froe {

namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kGraceAfterFailure =
    300 * kMillisecond; // ranks notice by themselves unless they are in a long kernel
constexpr int64_t kGraceAfterSignal = 3'000 * kMillisecond;
constexpr int64_t kInitSlack = 1'000 * kMillisecond; // ranks that wait for others report first: they know more

/// SIGINT and SIGTERM of this thread become readable from a file while this exists.
class SignalFile {
public:
  SignalFile() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    file = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalFile() {
    close(file);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  SignalFile(const SignalFile &) = delete;
  SignalFile &operator=(const SignalFile &) = delete;

  /// The next signal, 0 if there is none.
  int next() {
    signalfd_siginfo info;
    return read(file, &info, sizeof info) == sizeof info ? int(info.ssi_signo) : 0;
  }

  int file = -1;
  sigset_t signals, before;
};

struct Process {
  pid_t id = -1;
  int file = -1; // pidfd; -1: ended
};

class Supervisor {
public:
  Supervisor(const rt::Control &control, double initTimeoutSeconds)
      : control(control), processes(size_t(control.header().worldSize)),
        initDeadline(rt::nanoseconds() + int64_t(initTimeoutSeconds * 1e9) + kInitSlack) {}
  ~Supervisor() {
    killAll(SIGKILL);
    for (size_t rank = 0; rank < processes.size(); ++rank)
      if (processes[rank].file >= 0)
        reap(int(rank));
  }

  bool start(int rank, bool pin, const std::function<void(int)> &child);
  void watch();

private:
  void becomeRank(int rank, bool pin, pid_t launcher);
  void handleSignal(int signal);
  void noteEnd(int rank);
  siginfo_t reap(int rank);
  void killAll(int signal);
  void stopBy(int64_t time) { stopAt = std::min(stopAt.value_or(time), time); }
  void checkDeadlines();
  int pollTimeout() const;
  bool running() const {
    return std::ranges::any_of(processes, [](const Process &p) { return p.file >= 0; });
  }

  const rt::Control &control;
  std::vector<Process> processes;
  SignalFile signals;
  std::optional<int64_t> initDeadline, stopAt; // stopAt: then those that still run are killed
};

void pinToShare(int rank, int ranks) {
  std::vector<int> cores = usableCores();
  size_t share = cores.size() / size_t(ranks);
  if (share == 0 || ranks == 1)
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < share; ++i)
    CPU_SET(cores[size_t(rank) * share + i], &set);
  sched_setaffinity(0, sizeof set, &set);
}

/// In the child. The kernel ends it with the launcher, even if that is killed.
void Supervisor::becomeRank(int rank, bool pin, pid_t launcher) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher)
    _exit(1);
  if (pin)
    pinToShare(rank, control.header().worldSize);
  dup2(STDERR_FILENO, STDOUT_FILENO); // standard output is the launcher's
  pthread_sigmask(SIG_SETMASK, &signals.before, nullptr);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

bool Supervisor::start(int rank, bool pin, const std::function<void(int)> &child) {
  pid_t launcher = getpid();
  pid_t id = fork();
  if (id == 0) {
    becomeRank(rank, pin, launcher);
    child(rank);
    _exit(0);
  }
  if (id > 0) {
    setpgid(id, id);
    processes[size_t(rank)] = {id, int(syscall(SYS_pidfd_open, id, 0))};
  }
  if (id < 0 || processes[size_t(rank)].file < 0)
    control.claimFailure(-1, 4, fmt::format("rank {} cannot be started: {}", rank, strerror(errno)));
  return id > 0 && processes[size_t(rank)].file >= 0;
}

void Supervisor::killAll(int signal) {
  for (const Process &process : processes)
    if (process.file >= 0)
      kill(-process.id, signal);
}

siginfo_t Supervisor::reap(int rank) {
  Process &process = processes[size_t(rank)];
  siginfo_t info{};
  waitid(P_PID, id_t(process.id), &info, WEXITED);
  close(process.file);
  process.file = -1;
  return info;
}

void Supervisor::noteEnd(int rank) {
  siginfo_t info = reap(rank);
  bool done = control.rank(rank).state.load(std::memory_order_acquire) == uint32_t(rt::RankState::Done);
  bool exited = info.si_code == CLD_EXITED;
  if (exited && info.si_status == 0 && done)
    return;
  std::string how = exited
                        ? fmt::format("exited with code {} before it was done", info.si_status)
                        : fmt::format("was killed by signal {} (SIG{})", info.si_status, sigabbrev_np(info.si_status));
  control.claimFailure(rank, 4,
                       fmt::format("rank {} {} (execution {}, {})", rank, how, control.rank(rank).executions.load(),
                                   control.describeStep(rank, control.rank(rank).step.load() - 1)));
  stopBy(rt::nanoseconds() + kGraceAfterFailure);
}

void Supervisor::handleSignal(int signal) {
  if (!control.claimFailure(-1, 130, fmt::format("interrupted by SIG{}", sigabbrev_np(signal))))
    stopAt = rt::nanoseconds(); // the second one
  stopBy(rt::nanoseconds() + kGraceAfterSignal);
  killAll(signal);
}

void Supervisor::checkDeadlines() {
  int64_t now = rt::nanoseconds();
  if (stopAt && now >= *stopAt)
    killAll(SIGKILL);
  if (!initDeadline || now < *initDeadline)
    return;
  initDeadline.reset();
  for (int rank = 0; rank < int(processes.size()); ++rank) {
    if (control.rank(rank).state.load() != uint32_t(rt::RankState::Starting))
      continue;
    control.claimFailure(-1, 4, fmt::format("rank {} was not ready in time", rank));
    stopBy(now + kGraceAfterFailure);
  }
}

/// Milliseconds until the next deadline, rounded up; -1: there is none.
int Supervisor::pollTimeout() const {
  int64_t next = std::min(initDeadline.value_or(INT64_MAX), stopAt.value_or(INT64_MAX));
  if (next == INT64_MAX)
    return -1;
  return int(std::clamp<int64_t>((next - rt::nanoseconds()) / kMillisecond + 1, 0, 1'000'000));
}

void Supervisor::watch() {
  if (control.failed())
    stopBy(rt::nanoseconds() + kGraceAfterFailure);
  while (running()) {
    std::vector<pollfd> polled{{signals.file, POLLIN, 0}};
    for (const Process &process : processes)
      polled.push_back({process.file, POLLIN, 0}); // ended ones are -1, which poll skips
    poll(polled.data(), polled.size(), pollTimeout());
    if (int signal = signals.next())
      handleSignal(signal);
    for (size_t rank = 0; rank < processes.size(); ++rank)
      if (polled[rank + 1].revents != 0)
        noteEnd(int(rank));
    checkDeadlines();
  }
}

} // namespace

std::expected<void, Failure> supervise(const rt::Control &control, bool pin, double initTimeoutSeconds,
                                       const std::function<void(int rank)> &child) {
  {
    Supervisor supervisor(control, initTimeoutSeconds);
    for (int rank = 0; rank < control.header().worldSize; ++rank)
      if (!supervisor.start(rank, pin, child))
        break;
    supervisor.watch();
  }
  const rt::FailureRecord &failure = control.header().failure;
  if (failure.claimed.load() == 0)
    return {};
  if (!control.failed())
    return std::unexpected(Failure{4, "a rank failed, and was killed before it could say why"});
  return std::unexpected(Failure{failure.exitCode, failure.message});
}

} // namespace froe
