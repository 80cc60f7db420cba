#pragma once

#include "froe/Analysis/ProgramGraph.h"

#include <optional>

namespace froe {

/// A program of equal layers, one behind the other, of which one stands for all. Unlike what
/// `Layers` finds for reports, these are equal in all that a plan's cost depends on, on any mesh.
///
/// Layer after layer is joined by one node (the residual stream). What layers read besides, such as a mask, each part
/// has a copy of. The program's first and last layer may differ: one reads, the other makes what no other layer does.
struct LayerSample {
  /// What is before the layers, one of them, what is behind them.
  enum Part { Front, Middle, Back };
  struct Place {
    Part part = Front;
    bool isCopy = false; ///< stands for a node of another part, whose costs count there
  };

  ProgramGraph graph;        ///< of three parts that nothing joins; uses are live for [0, number of slots)
  std::vector<Place> places; ///< of each node
  int frontExit = 0, middleEntry = 0, middleExit = 0, backEntry = 0;
  int64_t count = 0; ///< layers that the middle part stands for
  int slots = 0;     ///< of the whole program; what is live in all of them is always live
};

/// Nothing where no two layers are equal.
std::optional<LayerSample> sampleLayers(const ProgramGraph &graph);

} // namespace froe
