// Whether all ranks are about to do the same collective. A program whose ranks disagree would hang or, worse, compute
// nonsense.
#pragma once

#include "runtime/core/Context.h"

namespace froe::rt {

enum class Operation : int32_t { EndOfExecution, AllReduce, AllGather, ReduceScatter, AllToAll };

/// Publishes what this rank is about to do, waits for all ranks to have done so, and ends the run if they differ, with
/// a message that tells both sides. Costs a barrier, so only on request.
void checkCollective(froe_rt &rt, const froe_axes &axes, Descriptor descriptor);

/// The same at the end of an execution: finds ranks that did fewer collectives than others.
void checkEndOfExecution(froe_rt &rt);

} // namespace froe::rt
