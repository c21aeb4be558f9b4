#include "lib/selftest/spec_defaults.h"

#include "lib/base/proto_time.h"

namespace muster::selftest {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

absl::Duration DefaultRoundDeadline(v1::SelfTestSpec::Profile profile) {
  switch (profile) {
    case v1::SelfTestSpec::STANDARD:
      return absl::Minutes(5);
    case v1::SelfTestSpec::SOAK:
      return absl::Minutes(30);
    default:
      return absl::Seconds(60);
  }
}

}  // namespace

std::string BackendOf(const v1::SelfTestSpec& spec) { return spec.backend().empty() ? "gloo" : spec.backend(); }

double MinSiblingRatioOf(const v1::SelfTestSpec& spec) {
  if (spec.min_sibling_ratio() > 0 && spec.min_sibling_ratio() < 1) return spec.min_sibling_ratio();
  return BackendOf(spec) == "gloo" ? 0.2 : 0.85;
}

absl::Duration RoundDeadlineOf(const v1::SelfTestSpec& spec) {
  const absl::Duration asked = FromProto(spec.deadline());
  return asked > absl::ZeroDuration() ? asked : DefaultRoundDeadline(spec.profile());
}

Ladder LadderOf(const v1::SelfTestSpec& spec) {
  const bool accelerators = BackendOf(spec) == "nccl";
  Ladder ladder;
  switch (spec.profile()) {
    case v1::SelfTestSpec::STANDARD:
      ladder = {{kMiB, 16 * kMiB}, 16 * kMiB, 5, 20, absl::Seconds(60)};
      if (accelerators) ladder.bytes = {kMiB, 64 * kMiB, 1024 * kMiB};
      break;
    case v1::SelfTestSpec::SOAK:
      ladder = {{kMiB, 16 * kMiB, 64 * kMiB}, 16 * kMiB, 5, 200, absl::Minutes(15)};
      if (accelerators) ladder.bytes = {64 * kMiB, 1024 * kMiB};
      break;
    default:
      ladder = {{kMiB}, kMiB, 2, 5, absl::Seconds(8)};
      if (accelerators) ladder.bytes = {64 * kMiB};
      break;
  }
  if (accelerators) ladder.pair_bytes = 64 * kMiB;
  return ladder;
}

}  // namespace muster::selftest
