#include "lib/selftest/iterations.h"

#include <algorithm>

#include "lib/base/proto_time.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {

int32_t IterationsWithin(const v1::TestStep& step, absl::Duration once) {
  const absl::Duration budget = FromProto(step.budget());
  if (budget <= absl::ZeroDuration() || once <= absl::ZeroDuration()) return step.iterations();
  absl::Duration rest;
  const int64_t fit = absl::IDivDuration(budget, once, &rest);
  return static_cast<int32_t>(std::min<int64_t>(step.iterations(), std::max<int64_t>(fit, kFewestIterations)));
}

}  // namespace muster::selftest
