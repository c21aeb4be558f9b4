#pragma once
// A placement while it is being searched: who is where, and what a change would cost. All costs are differences.

#include <cstdint>
#include <vector>

#include "lib/placement/rule_book.h"
#include "lib/placement/site.h"
#include "lib/placement/unit_graph.h"
#include "lib/placement/wishes.h"

namespace muster::placement {

// Less is better, cost first.
struct Delta {
  int64_t cost = 0;
  // What decides between equal costs: nodes taken that aren't preferred, each of more weight than all domains that are
  // left broken.
  int64_t ties = 0;
  bool improves() const { return cost < 0 || (cost == 0 && ties < 0); }
  friend auto operator<=>(const Delta&, const Delta&) = default;
};

// Units on slots and spares on slots, within the slots' capacities. References are kept.
class State {
 public:
  State(const Site& site, const UnitGraph& graph, const Wishes& wishes, Layout layout, std::vector<int32_t> spares);

  const Layout& layout() const { return layout_; }
  const std::vector<int32_t>& spares() const { return spares_; }
  const std::vector<int32_t>& units_in(int32_t slot) const { return inside_[slot]; }
  int32_t free(int32_t slot) const { return free_[slot]; }

  // Two units change places.
  int64_t SwapCost(int32_t a, int32_t b) const;
  bool MaySwap(int32_t a, int32_t b) const;
  void Swap(int32_t a, int32_t b);
  // A unit goes to a free node of another slot.
  Delta MoveCost(int32_t unit, int32_t slot);
  bool MayMove(int32_t unit, int32_t slot) const;
  void Move(int32_t unit, int32_t slot);
  // Slices as a whole: `size` units from `a` on and as many from `b` on, both multiples of `size`, change places.
  bool MaySwapBlocks(int32_t a, int32_t b, int32_t size) const;
  int64_t SwapBlocks(int32_t a, int32_t b, int32_t size);  // the same again undoes it
  // A slice that sits in one slot goes to another with enough free nodes.
  bool MayMoveBlock(int32_t first, int32_t size, int32_t slot) const;
  Delta MoveBlock(int32_t first, int32_t size, int32_t slot);  // back to where it was undoes it
  // The i-th spare goes to a free node of another slot.
  Delta MoveSpareCost(size_t i, int32_t slot);
  void MoveSpare(size_t i, int32_t slot);

 private:
  // What the traffic of a unit changes by if it goes to another slot and all others stay; but for its links with `but`.
  int64_t Rerouted(int32_t unit, int32_t from, int32_t to, int32_t but) const;
  Delta ShiftCost(int32_t from, int32_t to, int32_t units);
  void Shift(int32_t from, int32_t to, int32_t units);
  // Hop cost from a slot to the nearest spare.
  int64_t NearestSpare(int32_t slot) const;
  void RateSpares();

  const Site& site_;
  const UnitGraph& graph_;
  const Wishes& wishes_;
  std::vector<int64_t> same_, cross_;
  Layout layout_;
  std::vector<int32_t> spares_;
  std::vector<std::vector<int32_t>> inside_;
  std::vector<int32_t> place_;  // of each unit in inside_
  std::vector<int32_t> free_;
  std::vector<int32_t> units_below_;  // by domain
  std::vector<int32_t> taken_below_;  // units and spares
  std::vector<int64_t> to_spare_;     // by slot, where spares have a weight
  RuleBook book_;
};

}  // namespace muster::placement
