#include "lib/placement/assign.h"

#include <algorithm>
#include <utility>

#include "lib/placement/descent.h"
#include "lib/placement/tile_orders.h"

namespace muster::placement {
namespace {

constexpr int kMaxOrders = 256;

// The same quotas, slots in tree order.
Sequence InTreeOrder(Sequence sequence) {
  std::sort(sequence.begin(), sequence.end());
  return sequence;
}

}  // namespace

Assignment Assign(const Request& request, const Site& site, const Sequence& sequence, Budget& budget) {
  const int64_t look = static_cast<int64_t>(request.traffic.edges.size()) + request.units;
  Assignment best{sequence, site.CostOf(request.traffic, sequence)};
  ++budget.alternatives;
  budget.steps -= look;
  const bool flat = std::all_of(sequence.begin(), sequence.end(), [&](int32_t slot) { return slot == sequence[0]; });
  if (flat || (request.traffic.edges.empty() && request.traffic.cliques.empty())) return best;
  std::vector<Sequence> bases = {sequence};
  if (Sequence tree = InTreeOrder(sequence); tree != sequence) bases.push_back(std::move(tree));
  Layout layout(sequence.size());
  ForEachTileOrder(request.traffic.strides, request.units, kMaxOrders, [&](const std::vector<int32_t>& unit_at) {
    for (const Sequence& base : bases) {
      for (size_t place = 0; place < base.size(); ++place) layout[unit_at[place]] = base[place];
      ++budget.alternatives;
      budget.steps -= look;
      const int64_t cost = site.CostOf(request.traffic, layout);
      if (cost < best.cost && site.SlicesHold(layout)) best = {layout, cost};
    }
    return budget.steps > 0;
  });
  return best;
}

void Improve(const Request& request, const Site& site, Budget& budget, Assignment& assignment) {
  const std::vector<bool> fixed(assignment.layout.size());
  assignment.cost = Descend(site, request.traffic, fixed, assignment.cost, budget.steps, assignment.layout);
}

}  // namespace muster::placement
