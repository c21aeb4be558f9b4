#pragma once
// Which pairs to test next, so that suspects are confirmed or cleared.

#include <vector>

#include "lib/selftest/diagnose.h"
#include "lib/selftest/pair_result.h"

namespace muster::selftest {

// Each suspect with three cleared partners that it has not met, in three steps: one inside its own domain where there
// is one, the others outside it. Two suspects that were bad together, and open links, meet again: three tests in all.
// Up to five pairs of cleared nodes run beside them as the measure. At most 16 steps. Empty: nothing is open, or no
// node is cleared yet (then another matching has to run).
std::vector<PairStep> NextPairs(const Fabric& fabric, const std::vector<PairResult>& results,
                                const Diagnosis& diagnosis);

}  // namespace muster::selftest
