#pragma once
// The lists of a policy as operators write them: "team-a=8,team-b=4".

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace muster::queue {

// NAME=NUMBER, comma-separated, blanks around them dropped; empty: none. INVALID_ARGUMENT naming `flag`: no such pair,
// a number outside of least..most, a name there twice.
absl::StatusOr<std::map<std::string, int64_t>> ReadNumbers(absl::string_view flag, absl::string_view text,
                                                           int64_t least, int64_t most);

}  // namespace muster::queue
