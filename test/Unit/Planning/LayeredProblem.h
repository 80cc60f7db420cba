#pragma once

#include "froe/Planning/Problem.h"

namespace froe::test {

struct LayeredSize {
  int layers = 12;
  int layouts = 20;  ///< of a tensor; ops have up to twice as many strategies
  bool mask = true;  ///< a small input that every layer reads
  bool tied = false; ///< first and last op use the same weight
};

/// As a transformer of equal layers: per layer 20 nodes, among them tensor nodes for the residual stream, and four
/// weights that are live all the time. Layers share their tables.
Problem layeredProblem(const LayeredSize &size);

} // namespace froe::test
