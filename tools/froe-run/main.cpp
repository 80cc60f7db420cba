// `froe run` alone: needs neither LLVM nor a compiler, so it can be taken to where packages run.
#include "tools/froe/Parser.h"

using namespace froe;

int main(int argc, char **argv) {
  CLI::App app("Starts the ranks of a package, feeds them inputs, gathers their outputs.", "froe-run");
  app.set_version_flag("--version", "froe " FROE_VERSION);
  Action run = addRun(app);
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return report(1, {error.what()});
  } catch (const std::exception &error) {
    return report(3, {std::string("a bug in Froe: ") + error.what()});
  }
}
