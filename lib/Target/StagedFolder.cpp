#include "froe/Target/StagedFolder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace fs = std::filesystem;

namespace froe {
namespace {

/// A folder's path without the slash that may end it.
fs::path withoutSlash(const fs::path &path) { return path.has_filename() ? path : path.parent_path(); }

bool isPackage(const fs::path &path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::is_regular_file(path / "manifest.json", error);
}

} // namespace

std::expected<void, std::string> StagedFolder::checkTarget(const fs::path &given) {
  fs::path target = withoutSlash(given);
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)) && !isPackage(target))
    return std::unexpected("'" + target.string() + "' exists and is not a package; it was left as it is");
  return {};
}

fs::path StagedFolder::stagedPath(const fs::path &target) {
  fs::path staged = withoutSlash(target);
  staged += ".tmp-" + std::to_string(::getpid());
  return staged;
}

std::expected<StagedFolder, std::string> StagedFolder::create(const fs::path &target) {
  if (auto free = checkTarget(target); !free)
    return std::unexpected(free.error());
  fs::path staged = stagedPath(target);
  std::error_code error;
  fs::remove_all(staged, error);
  if (!fs::create_directory(staged, error))
    return std::unexpected("cannot create '" + staged.string() + "': " + error.message());
  return StagedFolder(withoutSlash(target), staged);
}

StagedFolder::StagedFolder(StagedFolder &&other) noexcept
    : target(std::move(other.target)), staged(std::exchange(other.staged, {})) {}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!staged.empty())
    fs::remove_all(staged, ignored);
}

std::expected<void, std::string> StagedFolder::commit() {
  // Without an older package both renames work; with one, the exchange leaves it in the staged place.
  int status = isPackage(target) ? ::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE)
                                 : ::rename(staged.c_str(), target.c_str());
  if (status != 0)
    return std::unexpected("cannot write '" + target.string() + "': " + std::strerror(errno));
  std::error_code ignored;
  fs::remove_all(staged, ignored);
  staged.clear();
  return {};
}

} // namespace froe
