// Keeps the ranks of a run alive together: none outlives the others' failure, the launcher, or the user's patience.
#pragma once

#include "runtime/core/Control.h"
#include "runtime/launch/Launch.h"

#include <expected>
#include <functional>

namespace froe {

/// Forks a process per rank of `control`, calls `child` in each, and waits for all. See Session::run.
std::expected<void, Failure> supervise(const rt::Control &control, bool pin, double initTimeoutSeconds,
                                       const std::function<void(int rank)> &child);

} // namespace froe
