#pragma once
// What the committed state asks of the world. Level-triggered: a function of the state alone, so that it can be issued
// again at any time and after any restart, until the state says that its result was seen (lifecycle rule 12).

#include <map>
#include <optional>
#include <set>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"
#include "lib/gang/state.h"
#include "proto/muster/v1/node.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::gang {

// The latest order of this job for each node that has one: run a test (only the groups that the node is in), start
// members, stop, and once the job is finished forget. `mark` without the term (the core adds it). A node that has none
// keeps what it was told last. O(world · steps of the plan).
std::map<NodeUid, v1::Task> Orders(const Gang& gang);

// The incarnation of the members that an agent starts under that order: greater than those of any order before.
Incarnation StartedIncarnation(const Gang& gang, OrderNumber started);

// Nodes this job keeps from others, and as what (ASSIGNED or NODE_STOPPING). Those of the sources KUEUE and BOUND are
// another's to give: for them it says what this job does there.
std::map<NodeUid, v1::NodeUse> Holds(const Gang& gang);

// When TimePassed is due next; InfiniteFuture: never.
absl::Time NextDeadline(const Gang& gang);

// What the engine is asked for.
// Queued: the queue decides when. Awaiting bound members that are all bound: lay the ranks over Facts::bound.
bool WantsPlacement(const Gang& gang);
// Placed, or Repairing with its replacement and nothing left to end: make a plan for PlacementOf(), or find a receipt.
bool WantsTestPlan(const Gang& gang);
// Repairing without a replacement (KUEUE, BOUND: and all members bound again).
bool WantsReplacement(const Gang& gang);
// launch: kubernetes. Whether the JobSet should exist now.
bool WantsJobSet(const Gang& gang);

}  // namespace muster::gang
