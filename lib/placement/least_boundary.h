#pragma once
// Isoperimetry: the least traffic that leaves any set of s units, for every s.
//
// Every placement pays at a domain's border for the traffic that leaves the units inside, so these numbers bound its
// cost from below and say which counts of units are good to have in a domain: full lines of the dominant axis, tiles.
//
//  - Up to kMaxListedUnits units of a graph: all subsets are looked at (Gray code).
//  - A product G x H: layers S_1..S_n of the set along H have sizes, sorted, s_1 >= .. >= s_n. What leaves is at least
//    Σ B_G(s_j) within the layers, and between them Σ_j B_H(j) (s_j - s_(j+1)), as each threshold of the sizes cuts H.
//    The minimum over all sequences is a knapsack of O(|G| |H| min(|G| |H|, most)); for rings, chains and cliques it is
//    exact, because compressed sets attain it (Bollobás and Leader, Edge-isoperimetric inequalities in the grid, 1991).
//  - Items over the same dimensions: the sum of their least boundaries.
// All three are never above the truth. What is inside obeys the same sums.

#include <cstdint>
#include <vector>

#include "lib/placement/dimensions.h"

namespace muster::placement {

inline constexpr int64_t kMaxListedUnits = 16;

// Two ways to look at what leaves a set: it is what leaves (kLeaving), or all that its units send less twice what stays
// inside (kInside). Over all domains of a tier the sum of what units send is the same for every placement, so that most
// inside bounds the cost as well as least leaving does, and better where units differ: ends of a chain send half.
enum class Border { kLeaving, kInside };

// Entry s, s = 0..min(most, units): kLeaving: the least boundary of s units. kInside: minus twice the most that s units
// keep inside (or less). A hop's traffic counts `same` times its same-rail and `cross` times its cross-rail weight.
std::vector<int64_t> LeastBoundaries(const Dimensions& dimensions, Border border, int64_t same, int64_t cross,
                                     int64_t most);

}  // namespace muster::placement
