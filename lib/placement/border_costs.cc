#include "lib/placement/border_costs.h"

#include <numeric>

#include "lib/placement/least_boundary.h"

namespace muster::placement {
namespace {

constexpr double kMaxSpread = 1e13;

}  // namespace

const std::vector<int64_t>& BorderCosts::At(int outer, int inner) {
  const auto [at, added] = borders_.emplace(std::make_pair(outer, inner), std::vector<int64_t>());
  if (!added) return at->second;
  if (dimensions_.factors.empty()) {
    at->second = Spread(outer, inner);
    return at->second;
  }
  const int64_t same = costs_.Same(outer) - costs_.Same(inner);
  const int64_t cross = costs_.Cross(outer) - costs_.Cross(inner);
  bool any_cross = false;
  for (const Factor& factor : dimensions_.factors) {
    for (const UnitEdge& edge : factor.edges) any_cross |= edge.cross_rail != 0;
  }
  const int64_t step = any_cross ? std::gcd(same, cross) : same;
  const std::pair<int64_t, int64_t> shape = step == 0
                                                ? std::make_pair<int64_t, int64_t>(0, 0)
                                                : std::make_pair(same / step, any_cross ? cross / step : int64_t{0});
  const auto [found, made] = shapes_.emplace(shape, std::vector<int64_t>());
  if (made) found->second = LeastBoundaries(dimensions_, shape.first, shape.second, most_);
  at->second = found->second;
  for (int64_t& cost : at->second) cost *= step;
  return at->second;
}

std::vector<int64_t> BorderCosts::Spread(int outer, int inner) const {
  // A domain of a coarser tier outweighs all of the finer ones, as far as numbers go.
  int64_t base = 2;
  const auto fits = [&](int64_t b) {
    double all = 1;
    for (int tier = 0; tier < tiers_; ++tier) all *= static_cast<double>(b);
    return all < kMaxSpread;
  };
  while (base < most_ + 1 && fits(base * 2)) base *= 2;
  const auto weight = [&](int tier) {
    int64_t w = 1;
    for (int t = tier + 1; t < tiers_; ++t) w *= base;
    return w;
  };
  int64_t each = 0;  // tiers that the nodes don't know: each is on its own
  for (int tier = outer + 1; tier < inner; ++tier) each += weight(tier);
  std::vector<int64_t> costs(most_ + 1);
  for (int64_t s = 1; s <= most_; ++s) costs[s] = 2 * (weight(inner) + each * s);
  return costs;
}

int64_t BorderCosts::Base(const std::vector<UnitEdge>& edges) const {
  int64_t base = 0;
  for (const UnitEdge& edge : edges) {
    base += edge.same_rail * costs_.Same(tiers_ - 1) + edge.cross_rail * costs_.Cross(tiers_ - 1);
  }
  return base;
}

}  // namespace muster::placement
