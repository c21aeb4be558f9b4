#include "lib/base/proto_time.h"

#include <algorithm>

namespace muster {
namespace {

constexpr int64_t kMaxDurationSeconds = 315576000000;
constexpr int64_t kMinTimeSeconds = -62135596800;
constexpr int64_t kMaxTimeSeconds = 253402300799;

}  // namespace

google::protobuf::Duration ToProto(absl::Duration duration) {
  const absl::Duration limit = absl::Seconds(kMaxDurationSeconds);
  duration = std::clamp(duration, -limit, limit);
  google::protobuf::Duration message;
  message.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  message.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(duration)));
  return message;
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  absl::Duration since =
      std::clamp(time, absl::FromUnixSeconds(kMinTimeSeconds), absl::FromUnixSeconds(kMaxTimeSeconds)) -
      absl::UnixEpoch();
  // Nanoseconds of a timestamp count forward, also before 1970.
  const absl::Duration whole = absl::Floor(since, absl::Seconds(1));
  google::protobuf::Timestamp message;
  message.set_seconds(absl::ToInt64Seconds(whole));
  message.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(since - whole)));
  return message;
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::Time FromProto(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos());
}

}  // namespace muster
