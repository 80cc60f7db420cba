#pragma once

#include <cstdint>
#include <string>

namespace froe {

/// GiB, as operating systems count, or GB, as data sheets do.
enum class ByteUnits { Binary, Decimal };

/// The units that a limit was told in: decimal where it is a whole number of thousands, such as the 80 GB of a GPU.
ByteUnits unitsOf(int64_t limit);

/// One decimal where there is one: `74.5 GiB`, `80 GB`, `512 bytes`.
std::string bytesText(double bytes, ByteUnits units);

} // namespace froe
