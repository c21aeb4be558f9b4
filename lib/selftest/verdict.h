#pragma once
// From what the workers of one round report to one judged result a group.
//
// A group is judged by its data, by the user's floor and by its siblings: the groups of the same family, collective and
// size in the same round (and those carried over) that cross as much of the topology. Where it has none, by what the
// last pass of the same placement measured. What is absent, late or unreadable is inconclusive, never a pass; an error
// is a fail.

#include "lib/selftest/parties.h"
#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"
#include "lib/selftest/yardsticks.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// `reference` takes the place of the siblings of this round, in rounds in which suspects run alone; what it doesn't
// have is compared as ever. Sorted.
Judged Judge(const Setting& setting, const Parties& parties, const Round& round, const Yardsticks* reference = nullptr);

// Whether a group has to run again before anything follows from it: failed, missing, or just above the limit.
bool IsSuspect(const JudgedGroup& group);

// The worse of two: FAIL, INCONCLUSIVE, WARN, PASS, SKIPPED.
v1::TestVerdict Worse(v1::TestVerdict a, v1::TestVerdict b);

}  // namespace muster::selftest
