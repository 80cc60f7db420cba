#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace froe {

/// A package in the making: a folder beside its final place, which it takes in one step when it is complete. Until
/// then, and if it never is, what was there stays.
class StagedFolder {
public:
  /// Refuses a `target` that exists and is not a package (a folder with manifest.json).
  static std::expected<StagedFolder, std::string> create(const std::filesystem::path &target);
  /// The same check alone, before the work begins.
  static std::expected<void, std::string> checkTarget(const std::filesystem::path &target);
  /// Where this process makes the package for `target`.
  static std::filesystem::path stagedPath(const std::filesystem::path &target);
  StagedFolder(StagedFolder &&other) noexcept;
  StagedFolder &operator=(StagedFolder &&) = delete;
  /// Removes the folder unless it was committed.
  ~StagedFolder();

  const std::filesystem::path &path() const { return staged; }
  std::expected<void, std::string> commit();

private:
  std::filesystem::path target, staged;

  StagedFolder(std::filesystem::path target, std::filesystem::path staged)
      : target(std::move(target)), staged(std::move(staged)) {}
};

} // namespace froe
