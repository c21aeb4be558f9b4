#pragma once
// The end of a test: one verdict, one sentence, and who must go.

#include "absl/types/span.h"
#include "lib/selftest/conclusion.h"
#include "lib/selftest/localise.h"
#include "lib/selftest/read_group.h"
#include "lib/selftest/setting.h"

namespace muster::selftest {

Conclusion ConclusionOf(const Setting& setting, absl::Span<const Round> rounds, const Findings& findings);

// Whether a result says that the fault is the job's own configuration or Muster's: no further round helps.
bool HasOwnFault(absl::Span<const Round> rounds);

}  // namespace muster::selftest
