// The shared memory of a run and the processes that are its ranks.
#pragma once

#include "runtime/core/Control.h"
#include "runtime/launch/Launch.h"

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace froe {

/// What the ranks of a run are told; times as in RunOptions.
struct SessionOptions {
  int ranks = 1;
  int threads = 1;
  int warmup = 0, repeat = 1;
  uint64_t arenaBytes = 0;
  std::string planHash;
  std::vector<uint64_t> inputBytes, outputBytes; // of the global tensors, in the program's order
  bool trace = false;
  bool checkCollectives = false;
  bool graph = true; // devices record an execution and play it again
  bool pin = true;
  double initTimeoutSeconds = 120, collectiveTimeoutSeconds = 60;
};

class Session {
public:
  static std::expected<Session, std::string> create(const SessionOptions &options);

  const rt::Control &control() const { return shared; }
  std::byte *input(int index) const { return tensors.get() + shared.place(index).offset; }
  std::byte *output(int index) const { return input(int(options.inputBytes.size()) + index); }
  int controlFile() const { return *files[0]; }
  int tensorFile() const { return *files[1]; }

  /// Forks a process per rank, in which `child` becomes that rank: by exec, or by rt::runRank and _exit(0). Returns
  /// when all are done, or, after the first that failed, when the others have been ended, which takes less than a
  /// second. SIGINT and SIGTERM of this process are forwarded to the ranks meanwhile.
  std::expected<void, Failure> run(const std::function<void(int rank)> &child);

private:
  SessionOptions options;
  std::shared_ptr<int> files[2];            // close
  std::shared_ptr<std::byte> base, tensors; // unmap
  rt::Control shared;
};

/// The cores that this process may use.
std::vector<int> usableCores();

} // namespace froe
