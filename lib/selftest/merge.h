#pragma once
// The results of all rounds as one for each group of the first.
//
// Slowness is confirmed by a second time, alone: what is slow once and not again passes, with both numbers in its
// reason. A warning is left for what came twice: slow in two rounds of three, or just above the limit twice. Wrong data
// counts in whichever round it was seen: corruption comes and goes (one run in three, in public reports).

#include "absl/types/span.h"
#include "lib/selftest/parties.h"
#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"

namespace muster::selftest {

// `first`: round 1 as judged. Groups that ran again are measured by the good siblings that ran beside them, else by
// those of round 1 or carried over.
Judged Merge(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds, Judged first);

}  // namespace muster::selftest
