#pragma once
// The second round: what failed or is missing in the first, alone.

#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Whether a group has to run again.
bool IsSuspect(const JudgedGroup& group);

// Repeats the suspects of `judged` so that no two groups of a step share a node, with up to three passing siblings a
// kind as the measure. If that takes more than 64 steps, groups of a kind run all at once, as in the first round: a
// failure that wide is no single node's. No steps: nothing is suspect.
v1::TestPlan ConfirmingPlan(const Setting& setting, const v1::TestPlan& first, const Judged& judged);

}  // namespace muster::selftest
