#pragma once

#include "froe/Analysis/ProgramGraph.h"

namespace froe {

/// Which parts of a program repeat, one after the other: the layers of a model. Found from the program alone, by the
/// order of its products; names play no part. Only for reports: nothing that is decided depends on it.
struct Layers {
  /// Nodes of one role do the same in different layers.
  struct Place {
    int layer = -1; ///< -1: outside of all layers, or made once for all of them
    int role = -1;  ///< -1 outside of layers and for weights
  };
  /// Layers that are alike, e.g. those of an encoder.
  struct Run {
    int first = 0, count = 0;
  };

  std::vector<Place> places; ///< by node of the graph
  std::vector<Run> runs;     ///< in order; layers are numbered through
};

Layers findLayers(const ProgramGraph &graph);

} // namespace froe
