#include "lib/selftest/schedule.h"

#include "absl/time/time.h"
#include "lib/base/proto_time.h"

namespace muster::selftest {
namespace {

constexpr double kFirst = 0.3;
constexpr double kShared = 0.5;

}  // namespace

void Schedule(v1::TestPlan& plan) {
  const absl::Duration round = FromProto(plan.deadline());
  const double steps = plan.steps_size();
  double done = 0;
  for (v1::TestStep& step : *plan.mutable_steps()) {
    ++done;
    *step.mutable_deadline() = ToProto(round * (kFirst + kShared * done / steps));
  }
}

}  // namespace muster::selftest
