#pragma once
// What a group would measure on machines with known faults, without any traffic: the model behind the backend
// `simulated`. Pure, so that the same model also tests plans and verdicts.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Faults of a node's link: they touch only groups that span nodes.
struct LinkFaults {
  // Times take this much longer; at least 1.
  double slow = 1;
  // Share of the elements sent that arrive wrong, 0..1; above 0 at least one in each transfer.
  double corrupt = 0;
};

struct SimulatedMember {
  int64_t global_rank = 0;
  // Members with equal `node` share one.
  int64_t node = 0;
  LinkFaults faults;
};

// The report of the member at `position`: a time for each iteration, that of the group's slowest member with 1 % of
// noise, and wrong elements where a corrupting node sends to this member. Deterministic by `seed`.
// INVALID_ARGUMENT: as Payload::Create; iterations outside 0..100,000.
absl::StatusOr<v1::StepResult> SimulateMember(const v1::TestStep& step, int64_t group_index,
                                              absl::Span<const SimulatedMember> members, int64_t position,
                                              uint64_t seed);

}  // namespace muster::selftest
