// `main` of every compiled program.
#include "runtime/core/RunRank.h"

#include <cstdio>
#include <unistd.h>

int main() {
  auto environment = froe::rt::discoverRank();
  if (!environment) {
    std::fprintf(stderr, "error: %s\n", environment.error().c_str());
    return 1;
  }
  froe::rt::runRank(froe_program_main, *environment);
  _exit(0); // memory and threads end with the process; tearing them down one by one would only delay it
}
