#include "froe/Target/HostProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace froe {
namespace {

std::string readText(const std::string &file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().trim().str() : "";
}

} // namespace

std::string runtimeLibrary() {
  static int anchor;
  llvm::SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "lib", "libfroe_rt.a");
  return path.str().str();
}

std::expected<std::string, std::string> findLinker() {
  for (const char *name : {"clang++-22", "clang++"})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return std::unexpected("expected 'clang++-22' on the PATH (Debian packages 'clang-22' and 'lld-22')");
}

std::expected<void, std::string> linkProgram(const std::string &objectFile, const std::string &programFile) {
  std::expected<std::string, std::string> compiler = findLinker();
  if (!compiler)
    return std::unexpected("cannot link the program: " + compiler.error());
  std::string runtime = runtimeLibrary();
  if (!llvm::sys::fs::exists(runtime))
    return std::unexpected("cannot link the program: expected Froe's runtime at '" + runtime + "'");
  std::string messages = programFile + ".link";
  llvm::SmallVector<llvm::StringRef> arguments{
      *compiler, "-fuse-ld=lld", "-static-libstdc++", "-static-libgcc", "-Wl,--gc-sections", "-Wl,-s",
      "-o",      programFile,    objectFile,          runtime,          "-lpthread",         "-ldl",
      "-lm"};
  std::string failure;
  int status = llvm::sys::ExecuteAndWait(*compiler, arguments, std::nullopt,
                                         {llvm::StringRef(""), llvm::StringRef(messages), llvm::StringRef(messages)},
                                         /*SecondsToWait=*/0, /*MemoryLimit=*/0, &failure);
  std::string text = failure + readText(messages);
  llvm::sys::fs::remove(messages);
  if (status != 0)
    return std::unexpected("cannot link the program with '" + *compiler + "': " + text);
  return {};
}

} // namespace froe
