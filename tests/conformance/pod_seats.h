#pragma once
// Pods that fill no node each, for an engine that gives nodes: every pod that fits somewhere is a place of its own, a
// node in the smallest domain of the peer's levels.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/placement/cluster.h"
#include "tests/conformance/tables.h"

namespace muster::conformance {

using Resources = std::map<std::string, int64_t>;
using LeafPath = std::vector<std::string>;  // values of all levels

// What is free in each leaf for one request: nodes that don't count are left out, all promises are subtracted.
std::map<LeafPath, Resources> FreeByLeaf(const Json& peer_case, const Json& request);

// How many pods that cost `per_pod` and one of "pods" each fit.
int64_t PodsThatFit(const Resources& free, const Resources& per_pod);
// Takes `count` pods away.
void Take(Resources& free, const Resources& per_pod, int64_t count);

// Places of each leaf as nodes named "leaf#i", with the peer's levels as tiers by their label keys.
placement::Cluster SeatsOf(const std::vector<std::string>& levels, const std::map<LeafPath, int64_t>& seats);

}  // namespace muster::conformance
