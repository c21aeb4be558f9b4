#pragma once
// Groups that no axis of the job has, but that tell nodes, rails and stages apart.

#include <cstdint>
#include <string>
#include <vector>

#include "lib/mesh/family.h"
#include "lib/selftest/pair_result.h"
#include "lib/selftest/parties.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Names of such families. No dialect has an axis of these names.
inline constexpr char kNodeFamily[] = "node";
inline constexpr char kRailFamily[] = "rail";
inline constexpr char kPairFamily[] = "pairs";
// Pairs on one rail at a time; workers of one node two by two.
inline constexpr char kRailAloneFamily[] = "pairs_by_rail";
inline constexpr char kInsideFamily[] = "inside";
inline constexpr char kNeighbourFamily[] = "pp_neighbours";

// All workers of a node; its index is the node's number. Nodes of one worker have none.
std::vector<v1::TestGroup> NodeGroups(const Parties& parties);

// The workers with equal places on all nodes, in slices of at most `widest`. Without slices of one.
std::vector<v1::TestGroup> RailGroups(const Parties& parties, int widest);

// One group a rail and pair of nodes. Its index is the same whenever these two meet on that rail.
std::vector<v1::TestGroup> PairGroups(const Parties& parties, const PairStep& pairs);
// Of one rail only.
std::vector<v1::TestGroup> PairGroups(const Parties& parties, const PairStep& pairs, int rail);

// Workers of one node two by two, by matching `round`.
std::vector<v1::TestGroup> InsideGroups(const Parties& parties, int party, int round);

// Neighbouring members of a chain: those at even places with the next one, or those at odd places. Each worker is in at
// most one; both together have every hop.
std::vector<v1::TestGroup> NeighbourGroups(const mesh::Family& chain, bool odd);

// The node numbers and the rail of one of PairGroups; of InsideGroups a is the node and b is -1. All -1 for any other
// group.
struct PairOf {
  int a = -1, b = -1, rail = -1;
};
PairOf PairOfResult(const Parties& parties, const v1::GroupResult& result);

// Whether a family is there for localisation only: no part of the first round.
bool IsProbe(const std::string& family);

}  // namespace muster::selftest
