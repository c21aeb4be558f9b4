#include "lib/placement/search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "lib/placement/anneal.h"
#include "lib/placement/apart_rows.h"
#include "lib/placement/best_orders.h"
#include "lib/placement/border_costs.h"
#include "lib/placement/descent.h"
#include "lib/placement/exact.h"
#include "lib/placement/knapsack.h"
#include "lib/placement/lay.h"
#include "lib/placement/orders.h"
#include "lib/placement/wish_cost.h"

namespace muster::placement {
namespace {

// Layouts that small moves are tried on.
constexpr size_t kKept = 12;
// Steps of the first knapsack beyond which there is no second.
constexpr int64_t kMaxSecondSteps = 6'000'000;
// Layouts that random moves are tried on.
constexpr size_t kAnnealed = 2;
// Orders laid along a plan.
constexpr int64_t kMinOrders = 8;
constexpr int64_t kUnpriced = std::numeric_limits<int64_t>::max();
constexpr int64_t kMaxOrders = 300;

struct Candidate {
  int64_t cost = 0;
  Layout layout;
  std::vector<int32_t> spares;
};

// Counts, with all that follows from them for any order.
struct Plan {
  Plan(const Site& site, const Wishes& wanted, const Quotas& quotas)
      : natural(RowOf(site, quotas.units, ChildOrder::kNatural, {})),
        big_first(RowOf(site, quotas.units, ChildOrder::kBigFirst, {})) {
    for (int32_t slot = 0; slot < site.slot_count(); ++slot) spares.insert(spares.end(), quotas.spares[slot], slot);
    wishes = WishCost(site, wanted, quotas.units, spares);
  }
  std::vector<int32_t> natural;  // rows (lay.h)
  std::vector<int32_t> big_first;
  std::vector<int32_t> spares;
  int64_t wishes = 0;
};

class Search {
 public:
  Search(const SearchTask& task, const std::vector<std::unique_ptr<const Knapsack>>& knapsacks, int64_t bound,
         Budget& budget)
      : task_(task),
        site_(*task.site),
        dims_(task.borders->dimensions()),
        knapsacks_(knapsacks),
        bound_(bound),
        budget_(budget) {}

  std::vector<Found> Run() {
    // Counts from both ends, and those of the other way to look at borders.
    const int64_t steps = budget_.steps / 3 / static_cast<int64_t>(1 + knapsacks_.size());
    if (site_.rules().apart.tier != kNoTier) {
      for (const std::vector<int32_t>& row : ApartRows(site_)) {
        if (!Optimal()) LayApart(row, steps);
      }
    } else {
      Lay(knapsacks_[0]->Plan(0), steps);
      if (!Optimal()) Lay(knapsacks_[0]->Plan(1), steps);
      if (!Optimal() && knapsacks_.size() > 1) Lay(knapsacks_[1]->Plan(0), steps);
    }
    if (!Optimal() && task_.traffic->cliques.empty() && !task_.traffic->edges.empty()) {
      DescendAll();
      if (!Optimal() && !Proven()) AnnealBest();
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

  // Every order once, then those that do best in all ways.
  void Lay(const Quotas& quotas, int64_t steps) {
    std::vector<int32_t> blocks;
    for (const SliceRule& rule : site_.rules().slices) blocks.push_back(rule.units);
    const int64_t affordable = steps / 2 / LayoutSteps();
    const auto count = [&](int64_t layouts) {
      return static_cast<size_t>(std::clamp<int64_t>(affordable / layouts, kMinOrders, kMaxOrders));
    };
    const std::vector<Order> orders = BestOrders(dims_, GoalsOf(quotas), blocks, count(1));
    const Plan plan(site_, task_.wishes, quotas);
    std::vector<std::pair<int64_t, size_t>> best;
    for (size_t i = 0; i < orders.size(); ++i) {
      const std::vector<int32_t> unit_at = UnitsAlong(dims_.dims, orders[i], false);
      const std::vector<int32_t> row = RowOf(site_, quotas.units, ChildOrder::kAligned, TilesOf(orders[i]));
      best.emplace_back(Keep(row, unit_at, plan), i);
      if (Optimal()) return;
    }
    std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (best.size() > count(5)) best.resize(count(5));
    for (const auto& [cost, i] : best) {
      const std::vector<int32_t> aligned = RowOf(site_, quotas.units, ChildOrder::kAligned, TilesOf(orders[i]));
      for (const bool winding : {false, true}) {
        const std::vector<int32_t> unit_at = UnitsAlong(dims_.dims, orders[i], winding);
        Keep(plan.natural, unit_at, plan);
        Keep(plan.big_first, unit_at, plan);
        if (winding) Keep(aligned, unit_at, plan);
      }
      if (Optimal()) return;
    }
  }

  // Orders laid along a row that has each replica's slots together: each replica keeps the order within.
  void LayApart(const std::vector<int32_t>& row, int64_t steps) {
    const std::vector<int32_t>& replica = site_.rules().apart.replica;
    Quotas quotas{std::vector<int32_t>(site_.slots().size()), std::vector<int32_t>(site_.slots().size())};
    for (const int32_t slot : row) ++quotas.units[slot];
    const Plan plan(site_, task_.wishes, quotas);
    const auto count = std::clamp<int64_t>(steps / 2 / LayoutSteps(), kMinOrders, kMaxOrders);
    for (const Order& order : BestOrders(dims_, GoalsOf(quotas), {}, static_cast<size_t>(count))) {
      for (const bool winding : {false, true}) {
        std::vector<int32_t> unit_at = UnitsAlong(dims_.dims, order, winding);
        std::stable_sort(unit_at.begin(), unit_at.end(), [&](int32_t a, int32_t b) { return replica[a] < replica[b]; });
        Keep(row, unit_at, plan);
        if (Optimal()) return;
      }
    }
  }

  // Nothing is cheaper than the bound; and what the plan breaks is the least for that cost.
  bool Optimal() const { return !kept_.empty() && kept_[0].cost <= bound_; }

  // What pricing a layout takes.
  int64_t LayoutSteps() const { return static_cast<int64_t>(task_.traffic->edges.size()) + task_.units; }

  // Prices a layout, and keeps it if it is among the cheapest. Returns its cost, exact if it is kept.
  int64_t Keep(const std::vector<int32_t>& row, const std::vector<int32_t>& unit_at, const Plan& plan) {
    for (const SliceRule& rule : site_.rules().slices) {
      if (!KeepsBlocks(unit_at, rule.units)) return kUnpriced;
    }
    ++budget_.alternatives;
    budget_.steps -= LayoutSteps();
    Layout layout = LayAlong(row, unit_at);
    const bool full = kept_.size() == kKept;
    const int64_t enough = full ? 2 * (kept_.back().cost - plan.wishes) : kUnpriced;
    const int64_t cost = site_.CostOf(*task_.traffic, layout, enough) + plan.wishes;
    if (full && cost >= kept_.back().cost) return cost;
    for (const Candidate& other : kept_) {
      if (other.cost == cost && other.layout == layout) return cost;
    }
    if (full) kept_.pop_back();
    const auto at =
        std::upper_bound(kept_.begin(), kept_.end(), cost, [](int64_t c, const Candidate& k) { return c < k.cost; });
    kept_.insert(at, {cost, std::move(layout), plan.spares});
    return cost;
  }

  void DescendAll() {
    const std::vector<bool> none_fixed(task_.units);
    const int64_t share = budget_.steps / static_cast<int64_t>(3 * kept_.size());
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

  // Whether small gangs' branch and bound shows that nothing is cheaper; what it finds is kept.
  bool Proven() {
    if (task_.units > kMaxExactUnits || (task_.wishes.spares > 0 && task_.wishes.spare_weight > 0)) return false;
    int64_t steps = budget_.steps / 2;
    const int64_t share = steps;
    Exact exact = SolveExactly(site_, *task_.graph, task_.wishes, kept_[0].cost, steps);
    budget_.steps -= share - steps;
    if (!exact.layout.empty()) kept_.insert(kept_.begin(), {exact.cost, std::move(exact.layout), {}});
    return exact.proven;
  }

  void AnnealBest() {
    const size_t count = std::min(kept_.size(), kAnnealed);
    const int64_t share = budget_.steps / static_cast<int64_t>(3 * count);
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
  const std::vector<std::unique_ptr<const Knapsack>>& knapsacks_;
  const int64_t bound_;
  Budget& budget_;
  std::vector<Candidate> kept_;  // cheapest first
};

// What no placement costs more than.
int64_t MostCost(const SearchTask& task) {
  const int64_t avoided = task.wishes.avoid_penalty * (int64_t{task.units} + task.wishes.spares);
  if (task.traffic->items.empty()) return (int64_t{1} << 45) + avoided;
  const HopCosts& costs = task.site->costs();
  int64_t most = (task.wishes.preferred_penalty + task.wishes.spare_weight * costs.Same(kNoTier)) * task.units;
  most += avoided;
  for (const UnitEdge& edge : task.traffic->edges) {
    most += edge.same_rail * costs.Same(kNoTier) + edge.cross_rail * costs.Cross(kNoTier);
  }
  return most;
}

// Whether all spares are on the site's slots, and few enough to be counted by the knapsack.
bool CountsEverySpare(const SearchTask& task) {
  return task.site->left_out() == 0 && task.wishes.spares <= Knapsack::kMaxCountedSpares;
}

// Spares that the knapsack doesn't see may be nearer than those it sees: the way to them counts nothing then, only that
// the site must hold some of them.
int64_t BoundBesideSpares(const SearchTask& task, int64_t most) {
  Wishes wishes = task.wishes;
  wishes.spares = std::max(0, wishes.spares - task.site->left_out());
  wishes.spare_weight = 0;
  return Knapsack(*task.site, wishes, *task.borders, Border::kLeaving, task.units, most).Bound();
}

}  // namespace

SiteSearch::SiteSearch(const SearchTask& task) : task_(task) {
  const int64_t most = MostCost(task);
  for (const Border border : {Border::kLeaving, Border::kInside}) {
    if (border == Border::kInside && (task.borders->regular() || knapsacks_[0]->steps() > kMaxSecondSteps)) break;
    knapsacks_.push_back(std::make_unique<Knapsack>(*task.site, task.wishes, *task.borders, border, task.units, most));
  }
  // Without traffic the knapsack weighs spread.
  if (task.traffic->items.empty()) return;
  if (knapsacks_.size() > 1 && knapsacks_[1]->Bound() > knapsacks_[0]->Bound()) std::swap(knapsacks_[0], knapsacks_[1]);
  bound_ = task.wishes.spares > 0 && !CountsEverySpare(task) ? BoundBesideSpares(task, most) : knapsacks_[0]->Bound();
}

std::vector<Found> SiteSearch::Run(Budget& budget) const { return Search(task_, knapsacks_, bound_, budget).Run(); }

}  // namespace muster::placement
