#pragma once
// The rules that requests share, each for one field.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/duration.pb.h"
#include "proto/muster/v1/identity.pb.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/node.pb.h"

namespace muster::services {

inline constexpr int64_t kLongestName = 253;
inline constexpr int64_t kLongestId = 128;
inline constexpr int64_t kLongestLabelKey = 317;
inline constexpr int64_t kLongestLabelValue = 256;

// The first that isn't OK.
template <typename... Rest>
absl::Status AllOf(absl::Status first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    return first.ok() ? AllOf(std::move(rest)...) : first;
  }
}

absl::Status CheckText(absl::string_view field, const std::string& value, int64_t longest);
// CheckText, and not empty.
absl::Status CheckRequired(absl::string_view field, const std::string& value, int64_t longest);
absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t most);
// At most so many entries.
absl::Status CheckCount(absl::string_view field, int64_t count, int64_t most);
// Not negative, nor malformed.
absl::Status CheckDuration(absl::string_view field, const google::protobuf::Duration& duration);
absl::Status CheckPage(int32_t page_size, const std::string& page_token);
absl::Status CheckJob(absl::string_view field, const v1::JobRef& job);
absl::Status CheckIncarnation(absl::string_view field, bool given, const v1::Incarnation& incarnation);
absl::Status CheckNode(absl::string_view field, const v1::NodeInfo& node);

}  // namespace muster::services
