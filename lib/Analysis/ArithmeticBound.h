#pragma once

#include "froe/Analysis/CostModel.h"

#include <map>

namespace froe {

/// What all matrix products of a program take at least on so many devices, whatever the mesh and the strategies: each
/// one's sizes are divided in the best way. Sums and copies are left out.
class ArithmeticBound {
public:
  ArithmeticBound(mlir::func::FuncOp main, const Cluster &cluster, bool roundsFactors);

  double seconds(int64_t devices);

private:
  struct Product {
    MatmulShape shape;
    std::string type;
    int count = 0;
  };
  double leastSeconds(const Product &product, int64_t devices) const;

  Cluster cluster;
  std::vector<Product> products; ///< distinct ones
  std::map<int64_t, double> known;
};

} // namespace froe
