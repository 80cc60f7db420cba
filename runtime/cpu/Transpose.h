#pragma once

#include <cstdint>

namespace froe::cpu {

/// to[c * toRow + r] = from[r * fromRow + c] for words of 4 bytes; strides in words.
void transposeWords(const void *from, int64_t fromRow, int64_t rows, int64_t columns, void *to, int64_t toRow);

} // namespace froe::cpu
