#pragma once
// The first round of a self-test.
//
// It has the job's own groups, axis by axis, and beside them groups that tell parts apart which the axes may mix: each
// node by itself, each rail across all nodes, each hop of a pipeline, and matchings of node pairs. Without the pairs a
// slow node could hide: where all groups of an axis span the same nodes, they are equally slow.

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/selftest/parties.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Round 1: one step a family × collective × payload size, with all its groups at once, as training has them; what
// fails there is tried again alone. Steps run one after another. Groups of one worker are left out, as are those of
// `setting.carried` and steps that another family has already with equal groups; a plan without steps passes as it is.
// Payloads are rounded down to a multiple of 4 bytes × group size. O(groups · members).
// INVALID_ARGUMENT: profile NONE, or a setting that contradicts itself (members × workers != world).
absl::StatusOr<v1::TestPlan> MakePlan(const Setting& setting);

// A step of tests of node pairs: send and receive at once on all `groups` (node_groups.h). Its index is its place; it
// has no deadline yet (schedule.h).
void AddPairStep(const Setting& setting, const std::string& family, const std::vector<v1::TestGroup>& groups,
                 v1::TestPlan& plan);

// How long `plan` takes on plain links of its backend's kind, connecting included, with `workers_per_node` sharing a
// node's network; zero where no traffic flows.
absl::Duration EstimateOf(const v1::TestPlan& plan, int64_t workers_per_node);

}  // namespace muster::selftest
