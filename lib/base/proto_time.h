#pragma once
// absl's times and durations as Protobuf's, and back. Values that a message cannot hold are clamped (durations to
// ±315,576,000,000 s, times to years 1..9999); a message that is out of its own range is read as it is.

#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace muster {

google::protobuf::Duration ToProto(absl::Duration duration);
google::protobuf::Timestamp ToProto(absl::Time time);

absl::Duration FromProto(const google::protobuf::Duration& duration);
absl::Time FromProto(const google::protobuf::Timestamp& timestamp);

}  // namespace muster
