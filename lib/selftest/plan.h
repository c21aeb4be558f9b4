#pragma once
// The first round of a self-test, and each node's part of a round.

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/selftest/setting.h"
#include "proto/muster/v1/selftest.pb.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::selftest {

// Round 1: one step a family × collective × payload size, with all its groups at once. Steps run one after another.
// Groups of one worker are left out, as are those of `setting.carried`; a plan without steps passes as it is.
// Payloads are rounded down to a multiple of 4 bytes × group size. O(groups · members).
// INVALID_ARGUMENT: profile NONE, or a setting that contradicts itself (members × workers != world).
absl::StatusOr<v1::TestPlan> MakePlan(const Setting& setting);

// How long the traffic of `plan` may take on a plain link of its backend's kind; zero where none flows.
absl::Duration EstimateOf(const v1::TestPlan& plan);

// `node`'s order of a round: the workers of all its node ranks, and of each step only the groups that they are in,
// so that a message does not grow with the world. A node outside the placement gets no workers and empty steps.
v1::RunTest OrderOf(const Setting& setting, const v1::TestPlan& plan, const NodeUid& node);

}  // namespace muster::selftest
