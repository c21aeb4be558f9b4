#pragma once
// Errors that are not the hardware's, by their first word: see Conclusion::Outcome.

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace muster::selftest {

inline constexpr char kConfigError[] = "config: ";
inline constexpr char kInternalError[] = "internal: ";

// Also with the rank before it, as GroupResult has it ("rank 3: config: ...").
inline bool HasKind(absl::string_view error, absl::string_view kind) {
  if (absl::StartsWith(error, "rank ")) {
    const size_t colon = error.find(": ");
    if (colon != absl::string_view::npos) error.remove_prefix(colon + 2);
  }
  return absl::StartsWith(error, kind);
}
inline bool IsConfigError(absl::string_view error) { return HasKind(error, kConfigError); }
inline bool IsInternalError(absl::string_view error) { return HasKind(error, kInternalError); }

}  // namespace muster::selftest
