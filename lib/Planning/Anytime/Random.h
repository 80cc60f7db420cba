#pragma once

#include <cmath>
#include <cstdint>

namespace froe {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int count) { return static_cast<int>((next() >> 32) * static_cast<uint64_t>(count) >> 32); }
  /// In (0, 1).
  double uniform() { return (double(next() >> 11) + 0.5) * 0x1p-53; }
  double exponential() { return -std::log(uniform()); }
  double gumbel() { return -std::log(exponential()); }

private:
  uint64_t state;
};

} // namespace froe
