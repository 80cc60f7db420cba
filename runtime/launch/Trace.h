// What each rank did when, for chrome://tracing and ui.perfetto.dev.
#pragma once

#include "runtime/core/Control.h"

#include <expected>
#include <filesystem>
#include <string>

namespace froe {

/// Writes the traces of a run that has ended: one process per rank, one event per step.
std::expected<void, std::string> writeTrace(const std::filesystem::path &file, const rt::Control &control);

} // namespace froe
