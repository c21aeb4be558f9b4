#pragma once
// Times on the wire and on disk. The infinities survive the way there and back; a timestamp or duration that is out of
// range is cut to the range, so that nothing a client sends can overflow.

#include <algorithm>

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace muster::core {

inline void SetTime(absl::Time time, google::protobuf::Timestamp* out) {
  if (time == absl::InfiniteFuture() || time == absl::InfinitePast()) {
    out->set_seconds(time == absl::InfiniteFuture() ? INT64_MAX : INT64_MIN);
    return;
  }
  const int64_t seconds = absl::ToUnixSeconds(time);
  out->set_seconds(seconds);
  out->set_nanos(static_cast<int32_t>((time - absl::FromUnixSeconds(seconds)) / absl::Nanoseconds(1)));
}

inline absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  if (time.seconds() == INT64_MAX) return absl::InfiniteFuture();
  if (time.seconds() == INT64_MIN) return absl::InfinitePast();
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(std::clamp(time.nanos(), 0, 999'999'999));
}

inline void SetDuration(absl::Duration duration, google::protobuf::Duration* out) {
  absl::Duration rest;
  out->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  out->set_nanos(static_cast<int32_t>(rest / absl::Nanoseconds(1)));
}

inline absl::Duration DurationOf(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

}  // namespace muster::core
