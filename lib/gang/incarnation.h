#pragma once
// One start of a member's process. The order of incarnations is the order of the fields, never that of arrival
// (lifecycle rule 22): the greatest one ever seen of an index is the only one that counts.

#include <compare>
#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace muster::gang {

struct Incarnation {
  int64_t restart_attempt = 0;
  absl::Time created = absl::UnixEpoch();
  std::string uid;
  int64_t ordinal = 0;

  friend bool operator==(const Incarnation&, const Incarnation&) = default;
  friend std::strong_ordering operator<=>(const Incarnation& a, const Incarnation& b) {
    if (auto c = a.restart_attempt <=> b.restart_attempt; c != 0) return c;
    if (a.created != b.created)
      return a.created < b.created ? std::strong_ordering::less : std::strong_ordering::greater;
    if (auto c = a.uid.compare(b.uid); c != 0)
      return c < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.ordinal <=> b.ordinal;
  }
};

}  // namespace muster::gang
