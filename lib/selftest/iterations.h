#pragma once
// How many timed iterations fit a step's budget.

#include <cstdint>

#include "absl/time/time.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// `once`: the longest that a warm-up took at any member of the group, so that all of them come to the same number.
// step.iterations() where there is no budget or they fit; else what fits, at least kFewestIterations
// (spec_defaults.h), never more than are asked.
int32_t IterationsWithin(const v1::TestStep& step, absl::Duration once);

}  // namespace muster::selftest
