#include "lib/placement/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "lib/placement/anneal.h"
#include "lib/placement/best_orders.h"
#include "lib/placement/border_costs.h"
#include "lib/placement/descent.h"
#include "lib/placement/dimensions.h"
#include "lib/placement/knapsack.h"
#include "lib/placement/lay.h"
#include "lib/placement/orders.h"
#include "lib/placement/wish_cost.h"

namespace muster::placement {
namespace {

// Layouts that small moves are tried on.
constexpr size_t kKept = 12;
// Layouts that random moves are tried on.
constexpr size_t kAnnealed = 2;
// Orders laid along a plan.
constexpr int64_t kMinOrders = 8;
constexpr int64_t kMaxOrders = 300;

struct Candidate {
  int64_t cost = 0;
  Layout layout;
  std::vector<int32_t> spares;
};

class Search {
 public:
  Search(const SearchTask& task, const Knapsack& knapsack, int64_t bound, Budget& budget)
      : task_(task), site_(*task.site), dims_(*task.dims), knapsack_(knapsack), bound_(bound), budget_(budget) {}

  std::vector<Found> Run() {
    const int64_t steps = budget_.steps / 4;
    Lay(knapsack_.Plan(0), steps);
    if (!Optimal()) Lay(knapsack_.Plan(1), steps);
    if (!Optimal() && task_.traffic->cliques.empty() && !task_.traffic->edges.empty()) {
      DescendAll();
      AnnealBest();
    }
    std::vector<Found> found;
    for (Candidate& candidate : kept_) found.push_back({std::move(candidate.layout), std::move(candidate.spares)});
    return found;
  }

 private:
  // Each domain of the plan, by what leaving it costs.
  std::vector<TileGoal> GoalsOf(const Quotas& quotas) const {
    std::vector<int64_t> below(site_.domains().size());
    std::map<std::tuple<int64_t, int, int>, int64_t> domains;  // how many of one size and border
    for (size_t d = below.size(); d-- > 1;) {
      const SiteDomain& domain = site_.domains()[d];
      if (domain.slot >= 0) below[d] += quotas.units[domain.slot];
      below[domain.parent] += below[d];
      if (below[d] > 0) ++domains[{below[d], site_.domains()[domain.parent].tier, domain.tier}];
    }
    std::vector<TileGoal> goals;
    for (const auto& [key, count] : domains) {
      const auto& [units, outer, inner] = key;
      goals.push_back({units, count * (site_.costs().Same(outer) - site_.costs().Same(inner)),
                       count * (site_.costs().Cross(outer) - site_.costs().Cross(inner))});
    }
    return goals;
  }

  void Lay(const Quotas& quotas, int64_t steps) {
    std::vector<int32_t> spares;
    for (int32_t slot = 0; slot < site_.slot_count(); ++slot) spares.insert(spares.end(), quotas.spares[slot], slot);
    const int64_t wishes = WishCost(site_, task_.wishes, quotas.units, spares);
    std::vector<int32_t> blocks;
    for (const SliceRule& rule : site_.rules()) blocks.push_back(rule.units);
    const int64_t affordable = steps / (6 * LayoutSteps());
    const auto count = static_cast<size_t>(std::clamp<int64_t>(affordable, kMinOrders, kMaxOrders));
    std::vector<std::vector<int32_t>> rows = {RowOf(site_, quotas.units, ChildOrder::kNatural, {}),
                                              RowOf(site_, quotas.units, ChildOrder::kBigFirst, {}),
                                              {}};
    for (const Order& order : BestOrders(dims_, GoalsOf(quotas), blocks, count)) {
      rows[2] = RowOf(site_, quotas.units, ChildOrder::kAligned, TilesOf(order));
      for (const bool winding : {false, true}) {
        const std::vector<int32_t> unit_at = UnitsAlong(dims_.dims, order, winding);
        const bool keeps =
            std::all_of(blocks.begin(), blocks.end(), [&](int32_t block) { return KeepsBlocks(unit_at, block); });
        if (!keeps) continue;
        for (const std::vector<int32_t>& row : rows) Keep(LayAlong(row, unit_at), spares, wishes);
      }
      if (Optimal()) return;
    }
  }

  // Nothing is cheaper than the bound; and what the plan breaks is the least for that cost.
  bool Optimal() const { return !kept_.empty() && kept_[0].cost <= bound_; }

  // What pricing a layout takes.
  int64_t LayoutSteps() const { return static_cast<int64_t>(task_.traffic->edges.size()) + task_.units; }

  void Keep(Layout layout, const std::vector<int32_t>& spares, int64_t wishes) {
    ++budget_.alternatives;
    const bool full = kept_.size() == kKept;
    const int64_t enough = full ? kept_.back().cost - wishes : std::numeric_limits<int64_t>::max();
    const int64_t cost = site_.CostOf(*task_.traffic, layout, enough) + wishes;
    budget_.steps -= LayoutSteps();
    if (full && cost >= kept_.back().cost) return;
    for (const Candidate& other : kept_) {
      if (other.cost == cost && other.layout == layout) return;
    }
    if (full) kept_.pop_back();
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
    for (size_t i = 0; i < count && !Optimal(); ++i) {
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
