#pragma once
// Tests of nodes that are quarantined: how one gets back without waiting for its quarantine to end. Loop only.

#include <optional>
#include <string>
#include <vector>

#include "lib/placement/cluster.h"
#include "lib/placement/decision.h"
#include "proto/muster/v1/placement.pb.h"
#include "server/core/job_table.h"
#include "server/core/node_table.h"

namespace muster::core {

// Whether a self-test on demand may have it: held by nobody, heard, and ok or quarantined; but not one on which a stop
// was never confirmed, as something may still run there.
bool MayBeTested(const NodeEntry& node);

// A job that only tests and names a quarantined node.
bool IsRetest(const Job& job, NodeTable& nodes);

// Where it goes now, its quarantined nodes as good as any. Takes what it gets out of `cluster`. nullopt: not now, and
// `why` says what is missing.
std::optional<placement::Placed> PlaceRetest(const Job& job, NodeTable& nodes, placement::Cluster& cluster,
                                             std::string* why);

// Nodes of a test that has passed which a receipt had quarantined, and which at least three nodes that weren't were
// tested beside: fewer can't tell a slow node from its partner. By name.
std::vector<NodeEntry*> ClearedBy(const v1::Placement& placement, NodeTable& nodes);

}  // namespace muster::core
