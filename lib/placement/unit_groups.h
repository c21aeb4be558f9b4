#pragma once
// The groups of a family as sets of units: which nodes have to talk, however many of their workers do.
//
// For a family that strides express, the digits are cut at the unit's border: what varies inside a unit, and what
// varies between units. Groups that differ only in places within their units are one entry with a count, so that the
// whole costs O(units), not O(workers).

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "lib/mesh/family.h"

namespace muster::placement {

// Largest world whose families may be looked at worker by worker, where strides don't cut at the unit's border.
inline constexpr int64_t kMaxListedWorld = int64_t{1} << 24;

// The ranks that are laid: first..first+size-1.
struct World {
  mesh::GlobalRank first = 0;
  int64_t size = 1;
};

// One digit of a group, either within a unit (stride in workers) or between units (stride in units).
struct CutDigit {
  bool within = false;
  int64_t stride = 1;
  int64_t size = 1;  // >= 2
};

// A strided family cut at the border of units of `workers_per_unit` ranks.
struct UnitCut {
  std::vector<CutDigit> members;  // by growing stride: members in ascending rank order count through these
  mesh::Digits bases;             // between units: the units that groups start in
  int64_t twins = 1;              // groups of equal units, apart by places within
};

// nullopt: strides don't cut it (blocks, rings, permutations, or sizes that don't fit).
absl::optional<UnitCut> CutAtUnits(const mesh::Family& family, mesh::GlobalRank first_rank, int64_t workers_per_unit);

// `count` groups that touch exactly these units.
struct UnitGroup {
  std::vector<int32_t> units;  // ascending, distinct
  int64_t count = 1;
  friend bool operator==(const UnitGroup&, const UnitGroup&) = default;
};

// RESOURCE_EXHAUSTED: the family can't be cut and the world is above kMaxListedWorld.
absl::StatusOr<std::vector<UnitGroup>> UnitGroupsOf(const World& world, const mesh::Family& family,
                                                    int64_t workers_per_unit);

// As that error says it.
absl::Status TooLargeToList(absl::string_view family, int64_t world);

}  // namespace muster::placement
