#include "lib/placement/border_costs.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace muster::placement {
namespace {

constexpr double kMaxSpread = 1e13;

// The traffic between blocks of consecutive units.
UnitTraffic Between(const UnitTraffic& traffic, int32_t block) {
  UnitTraffic between;
  for (const int64_t stride : traffic.strides) {
    if (stride % block == 0 && stride > block) between.strides.push_back(stride / block);
  }
  for (const ItemTraffic& item : traffic.items) {
    ItemTraffic drawn;
    drawn.weight = item.weight;
    std::map<std::pair<int32_t, int32_t>, UnitEdge> edges;
    for (const UnitEdge& edge : item.edges) {
      const int32_t a = edge.a / block;
      const int32_t b = edge.b / block;
      if (a == b) continue;
      UnitEdge& at = edges.emplace(std::minmax(a, b), UnitEdge{std::min(a, b), std::max(a, b), 0, 0}).first->second;
      at.same_rail += edge.same_rail;
      at.cross_rail += edge.cross_rail;
    }
    for (const auto& [ends, edge] : edges) drawn.edges.push_back(edge);
    between.items.push_back(std::move(drawn));
  }
  return between;
}

}  // namespace

BorderCosts::BorderCosts(const UnitTraffic& traffic, int32_t units, const HopCosts& costs, int tiers,
                         std::vector<SliceRule> rules)
    : traffic_(traffic),
      units_(units),
      costs_(costs),
      tiers_(tiers),
      rules_(std::move(rules)),
      dimensions_(Dimensions::Of(traffic, units)) {
  for (const UnitEdge& edge : traffic.edges) cross_rail_ |= edge.cross_rail != 0;
  std::vector<std::pair<int64_t, int64_t>> sent(units);
  for (const UnitEdge& edge : traffic.edges) {
    for (const int32_t unit : {edge.a, edge.b}) {
      sent[unit].first += edge.same_rail;
      sent[unit].second += edge.cross_rail;
    }
  }
  for (const auto& each : sent) regular_ &= each == sent[0];
}

int32_t BorderCosts::BlockOf(int tier) const {
  int32_t block = 1;
  for (const SliceRule& rule : rules_) {
    if (rule.tier >= tier) block = std::max(block, rule.units);
  }
  return block;
}

const std::vector<int64_t>& BorderCosts::At(Border border, int outer, int inner) {
  const auto [at, added] = borders_.emplace(std::make_tuple(border, outer, inner), std::vector<int64_t>());
  if (!added) return at->second;
  if (traffic_.items.empty()) {
    at->second = Spread(outer, inner);
    return at->second;
  }
  const int32_t block = BlockOf(inner);
  const int64_t same = costs_.Same(outer) - costs_.Same(inner);
  const int64_t cross = cross_rail_ ? costs_.Cross(outer) - costs_.Cross(inner) : 0;
  const int64_t step = std::gcd(same, cross);
  at->second.assign(units_ + 1, 0);
  if (step == 0) return at->second;
  const auto [found, made] =
      shapes_.emplace(std::make_tuple(border, block, same / step, cross / step), std::vector<int64_t>());
  if (made) {
    const Dimensions* dimensions = &dimensions_;
    if (block > 1) {
      dimensions =
          &drawn_together_.emplace(block, Dimensions::Of(Between(traffic_, block), units_ / block)).first->second;
    }
    found->second = LeastBoundaries(*dimensions, border, same / step, cross / step, units_ / block);
  }
  for (int32_t s = 0; s <= units_; s += block) at->second[s] = found->second[s / block] * step;
  if (border == Border::kInside && block > 1) AddInsideBlocks(block, same, cross, at->second);
  return at->second;
}

// What stays inside whole slices stays inside any set of them.
void BorderCosts::AddInsideBlocks(int32_t block, int64_t same, int64_t cross, std::vector<int64_t>& border) const {
  std::vector<int64_t> kept(units_ / block);
  for (const UnitEdge& edge : traffic_.edges) {
    if (edge.a / block == edge.b / block) kept[edge.a / block] += edge.same_rail * same + edge.cross_rail * cross;
  }
  std::sort(kept.rbegin(), kept.rend());
  int64_t sum = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    sum += 2 * kept[i];
    border[(i + 1) * block] -= sum;
  }
}

std::vector<int64_t> BorderCosts::Spread(int outer, int inner) const {
  // A domain of a coarser tier outweighs all of the finer ones, as far as numbers go.
  int64_t base = 2;
  const auto fits = [&](int64_t b) {
    double all = 1;
    for (int tier = 0; tier < tiers_; ++tier) all *= static_cast<double>(b);
    return all < kMaxSpread;
  };
  while (base < units_ + 1 && fits(base * 2)) base *= 2;
  const auto weight = [&](int tier) {
    int64_t w = 1;
    for (int t = tier + 1; t < tiers_; ++t) w *= base;
    return w;
  };
  int64_t each = 0;  // tiers that the nodes don't know: each is on its own
  for (int tier = outer + 1; tier < inner; ++tier) each += weight(tier);
  std::vector<int64_t> costs(units_ + 1);
  for (int64_t s = 1; s <= units_; ++s) costs[s] = 2 * (weight(inner) + each * s);
  return costs;
}

int64_t BorderCosts::Base(Border border, int tier) const {
  const int at = border == Border::kInside ? tier : tiers_ - 1;
  int64_t base = 0;
  for (const UnitEdge& edge : traffic_.edges)
    base += edge.same_rail * costs_.Same(at) + edge.cross_rail * costs_.Cross(at);
  return base;
}

}  // namespace muster::placement
