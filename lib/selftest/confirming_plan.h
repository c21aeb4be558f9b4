#pragma once
// What failed or is missing runs again, alone.

#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Repeats the suspects of `judged`, groups of `first` (round 1), so that no two groups of a step share a node, with up
// to three passing siblings a kind as the measure. If that takes more than 64 steps, groups of a kind run all at once,
// as in the first round: a failure that wide is no single node's. No steps: nothing is suspect.
v1::TestPlan ConfirmingPlan(const Setting& setting, const v1::TestPlan& first, const Judged& judged, int32_t round);

}  // namespace muster::selftest
