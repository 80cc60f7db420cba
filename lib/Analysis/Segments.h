#pragma once

#include "froe/Analysis/ProgramGraph.h"

#include <functional>

namespace froe {

/// A place between two ops where a program may be cut into stages.
struct CutPoint {
  /// A value made before the cut and used behind it; what is computed from weights and constants alone does not cross:
  /// each stage has its own.
  struct Crossing {
    int node = 0, result = 0; ///< who hands it on: an op, or the tensor node behind it
    mlir::Value value;
  };
  int position = 0; ///< of the first op behind it
  std::vector<Crossing> values;
  int64_t bytes = 0; ///< of all values, whole
};

/// Weights, constants, and what is computed from them alone.
std::vector<bool> independentOfInputs(const ProgramGraph &graph);

/// All places at which every value that crosses is stored, in order.
std::vector<CutPoint> cutPointsOf(const ProgramGraph &graph);

/// A part of a graph that is one stage.
struct Segment {
  ProgramGraph graph;
  std::vector<int> origins; ///< of each node: the same one in the whole graph; of a value that crosses: who hands it on
  std::vector<bool> crosses; ///< whether a node stands for a value that comes in or goes out
};

/// Gives the form in which a node of the whole graph hands a value over a cut.
using WireForm = std::function<const Sharding &(int node, int result)>;

/// The ops at positions `begin` up to, not including, `end`, with the inputs, weights and constants that they use. A
/// value that comes in is an input of one strategy, one that is used behind `end` an output of one.
Segment segmentOf(const ProgramGraph &graph, int begin, int end, const WireForm &wireForm);

} // namespace froe
