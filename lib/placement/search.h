#pragma once
// The search for the cheapest placement on one site: counts, orders, small moves.
//
//   1. Knapsack: how many units each domain takes, and the bound (knapsack.h).
//   2. Orders: each nesting and tiling of the mesh laid along the domains in several depth-first orders (orders.h,
//      lay.h); the cheapest few go on. With replicas apart: one replica after the other (apart_rows.h).
//   3. Descent: small moves while they help (descent.h).
//   4. Late acceptance: random moves with a memory, with the steps that are left (anneal.h).
// It ends as soon as the cost equals the bound.

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/placement/border_costs.h"
#include "lib/placement/knapsack.h"
#include "lib/placement/site.h"
#include "lib/placement/traffic.h"
#include "lib/placement/unit_graph.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// Looks that a search may take at links of the traffic: time, counted so that it is the same everywhere.
struct Budget {
  int64_t steps = 0;
  int64_t alternatives = 0;  // layouts priced
};

struct Found {
  Layout layout;
  std::vector<int32_t> spares;  // slots; the rest the caller places
};

struct SearchTask {
  const UnitTraffic* traffic = nullptr;
  const UnitGraph* graph = nullptr;
  BorderCosts* borders = nullptr;
  const Site* site = nullptr;
  Wishes wishes;
  int32_t units = 0;
};

// Precondition: the site holds the gang (room.h). References are kept.
class SiteSearch {
 public:
  explicit SiteSearch(const SearchTask& task);
  // Of traffic, preferred and spares together.
  int64_t bound() const { return bound_; }
  // Layouts, the best first.
  std::vector<Found> Run(Budget& budget) const;

 private:
  const SearchTask task_;
  std::vector<std::unique_ptr<const Knapsack>> knapsacks_;  // the one with the greater bound first
  int64_t bound_ = 0;
};

}  // namespace muster::placement
