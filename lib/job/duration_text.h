#pragma once
// Durations as people write them.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/duration.pb.h"

namespace muster {

// "90s", "10m", "1h30m", "2d", "500ms"; "0". INVALID_ARGUMENT, a sentence without a field: no unit, not a number,
// beyond ten years. A leading "-" is read; whoever needs a positive one refuses it by name.
absl::StatusOr<google::protobuf::Duration> ParseDurationText(absl::string_view text);

// The shortest such text that reads back equal.
std::string DurationText(const google::protobuf::Duration& duration);

}  // namespace muster
