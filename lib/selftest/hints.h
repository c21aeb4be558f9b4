#pragma once
// What the error messages of collective libraries mean, and what to do about them.
//
// When one rank of a group fails, the others fail too, with errors that name innocents ("connection closed by peer
// 10.0.0.7"). Those echoes explain nothing: the first error that a rank has of its own does.
// Messages as found in the sources and public issues of NCCL (2.19 to 2.31) and Gloo (2022-05).

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace muster::selftest {

struct Hint {
  absl::string_view meaning;
  absl::string_view action;
};

// The most telling row of the table that matches; nullopt: no message of ours. Matching ignores case.
absl::optional<Hint> HintFor(absl::string_view error);
// "meaning; action"; empty for nullopt.
std::string HintText(absl::string_view error);

// Whether the error only says that another rank failed or that the group was broken already.
bool IsEcho(absl::string_view error);

// Errors by rank, in rank order. The one to show: the first that is no echo, and of those one with a hint before
// others; if all are echoes, the first. -1: empty.
int FirstOwnError(const std::vector<std::string>& errors);

}  // namespace muster::selftest
