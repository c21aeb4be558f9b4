#pragma once
// Numbers that look random and are the same everywhere for one seed: splitmix64 (Steele, Lea, Flood 2014).

#include <cmath>
#include <cstdint>

namespace muster::simulation {

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 ≤ x < 1.
  double Share() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // 0..below-1; `below` > 0.
  int64_t Below(int64_t below) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(below)); }
  // Of mean 1.
  double Exponential() { return -std::log1p(-Share()); }
  // Of mean 0 and deviation 1 (Box-Muller).
  double Normal() {
    const double radius = std::sqrt(2 * Exponential());
    return radius * std::cos(6.283185307179586 * Share());
  }

 private:
  uint64_t state_;
};

}  // namespace muster::simulation
