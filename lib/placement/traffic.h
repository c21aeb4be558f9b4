#pragma once
// Who talks to whom, and how much it weighs: the traffic of a mesh collapsed to units (nodes). Integers throughout.
//
// A family's groups talk in a pattern: ring (member i to i+1, the last to the first; two members: the pair twice),
// chain or all_pairs, members in ascending rank order. Hops inside one unit cost nothing and are left out. For families
// that strides express, hops are enumerated a unit and not a worker: the digits are cut at the unit's border, and hops
// that differ only in their places within the units are one edge with a count. Cost: O(units) an item.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mesh/mesh.h"
#include "lib/placement/unit_groups.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::placement {

// Hops between two units, a < b.
struct UnitEdge {
  int32_t a = 0;
  int32_t b = 0;
  // Hops between equal places in both units (one rail), and the others.
  int64_t same_rail = 0;
  int64_t cross_rail = 0;
  friend bool operator==(const UnitEdge&, const UnitEdge&) = default;
};

// Every pair of these units talks, with these many hops a pair. For sets too large to list pair by pair.
struct UnitClique {
  std::vector<int32_t> units;
  int64_t same_rail = 0;
  int64_t cross_rail = 0;
};

// One item of traffic, unweighted: counts of hops.
struct ItemTraffic {
  std::string family;
  v1::TrafficItem::Pattern pattern = v1::TrafficItem::RING;
  int64_t weight = 0;
  std::vector<UnitEdge> edges;  // ascending by (a, b), each pair once
  std::vector<UnitClique> cliques;
  int64_t hops = 0;  // all of the family's, also those inside units
  // Of those between units, the ones between different places in them.
  int64_t other_rail_hops() const;
};

// A family whose groups talk, before its hops are collapsed.
struct Talk {
  std::string name;
  const mesh::Family* family = nullptr;
  v1::TrafficItem::Pattern pattern = v1::TrafficItem::RING;
  int64_t weight = 0;
};

struct UnitTraffic {
  std::vector<ItemTraffic> items;
  // Σ weight · hops over all items, each pair of units once; weights overflow-checked.
  std::vector<UnitEdge> edges;
  std::vector<UnitClique> cliques;
  // Where axes end between units: 1, …, each a multiple of the one before. The mesh as seen from units.
  std::vector<int64_t> strides = {1};

  // INVALID_ARGUMENT, naming spec.placement.traffic[i]: no such family, or weights · hops that pass 2^38;
  // RESOURCE_EXHAUSTED: a family that strides don't cut at the unit's border in a world above 16,777,216 workers.
  static absl::StatusOr<UnitTraffic> Of(const mesh::Mesh& mesh, const std::vector<v1::TrafficItem>& items,
                                        int64_t workers_per_unit);
  // The same for families of any origin, which must cover `world`; errors name spec.placement.traffic[i] as well.
  static absl::StatusOr<UnitTraffic> Of(const World& world, const std::vector<Talk>& talks, int64_t workers_per_unit);
};

}  // namespace muster::placement
