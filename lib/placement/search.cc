#include "lib/placement/search.h"

#include <algorithm>
#include <utility>

#include "lib/placement/anneal.h"
#include "lib/placement/border_costs.h"
#include "lib/placement/descent.h"
#include "lib/placement/dimensions.h"
#include "lib/placement/knapsack.h"
#include "lib/placement/lay.h"
#include "lib/placement/orders.h"

namespace muster::placement {
namespace {

// Layouts that small moves are tried on.
constexpr size_t kKept = 12;
// Layouts that random moves are tried on.
constexpr size_t kAnnealed = 2;
constexpr size_t kMaxOrders = 300;

struct Candidate {
  int64_t cost = 0;  // traffic
  Layout layout;
  std::vector<int32_t> spares;
};

class Search {
 public:
  Search(const SearchTask& task, const Knapsack& knapsack, int64_t bound, Budget& budget)
      : task_(task), site_(*task.site), dims_(*task.dims), knapsack_(knapsack), bound_(bound), budget_(budget) {}

  std::vector<Found> Run() {
    lay_until_ = budget_.steps / 2;
    Lay(knapsack_.Plan(0));
    Lay(knapsack_.Plan(1));
    if (task_.traffic->cliques.empty() && !task_.traffic->edges.empty()) {
      DescendAll();
      AnnealBest();
    }
    std::vector<Found> found;
    for (Candidate& candidate : kept_) found.push_back({std::move(candidate.layout), std::move(candidate.spares)});
    return found;
  }

 private:
  void Lay(const Quotas& quotas) {
    std::vector<int32_t> spares;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) spares.insert(spares.end(), quotas.spares[slot], slot);
    ForEachOrder(dims_.dims, kMaxOrders, [&](const Order& order) {
      const std::vector<int64_t> tiles = TilesOf(order);
      for (const bool winding : {false, true}) {
        const std::vector<int32_t> unit_at = UnitsAlong(dims_.dims, order, winding);
        const bool keeps = std::all_of(site_.rules().begin(), site_.rules().end(),
                                       [&](const SliceRule& rule) { return KeepsBlocks(unit_at, rule.units); });
        if (!keeps) continue;
        for (const ChildOrder how : {ChildOrder::kNatural, ChildOrder::kBigFirst, ChildOrder::kAligned}) {
          Keep(LayAlong(RowOf(site_, quotas.units, how, tiles), unit_at), spares);
        }
      }
      return budget_.steps > lay_until_;
    });
  }

  void Keep(Layout layout, const std::vector<int32_t>& spares) {
    ++budget_.alternatives;
    const int64_t cost = site_.CostOf(*task_.traffic, layout);
    budget_.steps -= static_cast<int64_t>(task_.traffic->edges.size()) + task_.units;
    if (kept_.size() == kKept && cost >= kept_.back().cost) return;
    for (const Candidate& other : kept_) {
      if (other.cost == cost && other.layout == layout) return;
    }
    if (kept_.size() == kKept) kept_.pop_back();
    const auto at =
        std::upper_bound(kept_.begin(), kept_.end(), cost, [](int64_t c, const Candidate& k) { return c < k.cost; });
    kept_.insert(at, {cost, std::move(layout), spares});
  }

  void DescendAll() {
    const std::vector<bool> none_fixed(task_.units);
    const int64_t share = budget_.steps / static_cast<int64_t>(2 * kept_.size());
    for (Candidate& candidate : kept_) {
      State state(site_, *task_.graph, task_.wishes, candidate.layout, candidate.spares);
      int64_t steps = share;
      const Delta gained = Descend(site_, *task_.graph, none_fixed, steps, state);
      budget_.steps -= share - steps;
      candidate = {candidate.cost + gained.cost, state.layout(), state.spares()};
    }
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  }

  void AnnealBest() {
    const size_t count = std::min(kept_.size(), kAnnealed);
    const int64_t share = budget_.steps / static_cast<int64_t>(count);
    for (size_t i = 0; i < count; ++i) {
      const State state(site_, *task_.graph, task_.wishes, kept_[i].layout, kept_[i].spares);
      int64_t steps = share;
      const AnnealOptions options{1000, i};
      Annealed annealed = Anneal(site_, *task_.graph, state, options, bound_ - kept_[i].cost, steps);
      budget_.steps -= share - steps;
      kept_.push_back({kept_[i].cost + annealed.gained.cost, std::move(annealed.layout), kept_[i].spares});
    }
  }

  const SearchTask& task_;
  const Site& site_;
  const Dimensions& dims_;
  const Knapsack& knapsack_;
  const int64_t bound_;
  Budget& budget_;
  int64_t lay_until_ = 0;
  std::vector<Candidate> kept_;  // cheapest first
};

// What no placement costs more than.
int64_t MostCost(const SearchTask& task) {
  if (task.traffic->items.empty()) return int64_t{1} << 45;
  const HopCosts& costs = task.site->costs();
  int64_t most = (task.wishes.preferred_penalty + task.wishes.spare_weight * costs.Same(kNoTier)) * task.units;
  for (const UnitEdge& edge : task.traffic->edges) {
    most += edge.same_rail * costs.Same(kNoTier) + edge.cross_rail * costs.Cross(kNoTier);
  }
  return most;
}

}  // namespace

SiteSearch::SiteSearch(const SearchTask& task)
    : task_(task), knapsack_(*task.site, task.wishes, *task.borders, task.units, MostCost(task)) {
  // Without traffic the knapsack weighs spread.
  if (task.traffic->items.empty()) return;
  bound_ = task.borders->Base(task.traffic->edges) + (knapsack_.TwiceBound() + 1) / 2;
}

std::vector<Found> SiteSearch::Run(Budget& budget) const { return Search(task_, knapsack_, bound_, budget).Run(); }

}  // namespace muster::placement
