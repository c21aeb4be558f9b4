#include "lib/gang/limits.h"

#include <algorithm>

#include "google/protobuf/duration.pb.h"

namespace muster::gang {
namespace {

constexpr int64_t kMaxSeconds = int64_t{10} * 366 * 24 * 3600;

absl::Duration Or(const google::protobuf::Duration& given, absl::Duration otherwise) {
  if (given.seconds() < 0 || given.nanos() < 0 || given.seconds() > kMaxSeconds) return otherwise;
  const absl::Duration duration = absl::Seconds(given.seconds()) + absl::Nanoseconds(given.nanos());
  return duration > absl::ZeroDuration() ? duration : otherwise;
}

absl::Duration TestDeadline(v1::SelfTestSpec::Profile profile) {
  switch (profile) {
    case v1::SelfTestSpec::STANDARD:
      return absl::Minutes(5);
    case v1::SelfTestSpec::SOAK:
      return absl::Minutes(30);
    default:
      return absl::Minutes(1);
  }
}

}  // namespace

Limits LimitsOf(const v1::JobSpec& spec) {
  Limits limits;
  const v1::LimitsSpec& given = spec.limits();
  if (given.has_max_tries()) limits.max_tries = std::max(given.max_tries(), 0);
  if (given.has_max_restarts()) limits.max_restarts = std::max(given.max_restarts(), 0);
  limits.assemble_deadline = Or(given.assemble_deadline(), limits.assemble_deadline);
  limits.repair_deadline = Or(given.repair_deadline(), limits.repair_deadline);
  limits.stop_deadline = Or(given.stop_deadline(), limits.stop_deadline);
  limits.exit_grace = Or(given.exit_grace(), limits.exit_grace);
  limits.unknown_grace = Or(given.unknown_grace(), limits.unknown_grace);
  limits.deadline = Or(given.deadline(), limits.deadline);
  limits.max_duration = Or(given.max_duration(), limits.max_duration);
  limits.test_deadline = Or(spec.self_test().deadline(), TestDeadline(spec.self_test().profile()));
  return limits;
}

}  // namespace muster::gang
