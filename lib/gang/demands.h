#pragma once
// What the committed state asks of the world. Level-triggered: a function of the state alone, so that it can be issued
// again at any time and after any restart, until the state says that its result was seen (lifecycle rule 12).

#include <map>
#include <optional>
#include <set>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/state.h"
#include "proto/muster/v1/node.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::gang {

// The latest order of this job for each node that has one: run a test, start members, stop, forget. `mark` without the
// term (the core adds it).
std::map<NodeUid, v1::Task> Orders(const Gang& gang);

// Nodes this job keeps from others, and as what (ASSIGNED or NODE_STOPPING).
std::map<NodeUid, v1::NodeUse> Holds(const Gang& gang);

// When TimePassed is due next; InfiniteFuture: never.
absl::Time NextDeadline(const Gang& gang);

// What the engine is asked for.
bool WantsPlacement(const Gang& gang);    // Queued: the queue decides when
bool WantsTestPlan(const Gang& gang);     // Placed: make a plan, or find a valid receipt
bool WantsReplacement(const Gang& gang);  // Repairing without one
// launch: kubernetes. Whether the JobSet should exist now.
bool WantsJobSet(const Gang& gang);

}  // namespace muster::gang
