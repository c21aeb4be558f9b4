#pragma once
// Megatron's order string: which axes a grid has and which is the fastest.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/mesh/compat.h"
#include "lib/mesh/grid.h"

namespace muster::mesh {

// `order` with gtp_remat put right after the first of `anchors` that it names, in front if it names none; unchanged if
// it names gtp_remat. Upstream compares letter by letter; careful in lower case.
std::string WithGtpAxis(absl::string_view order, absl::Span<const absl::string_view> anchors, Compat compat);

// The tokens of `order` in lower case, then the axes of size 1 that it leaves out, in the sequence of `sizes`.
// Refused, in this order: "axis_missing_from_order" if an axis above size 1 is left out; "order_token_unknown";
// "order_token_duplicate". kUpstream looks for an axis anywhere in the text, so that gtp_remat hides a missing tp, and
// lets a repeated token pass where its size is 1 (with another size upstream computes ranks outside the world:
// refused).
absl::StatusOr<std::vector<std::string>> OrderTokens(absl::string_view order, absl::Span<const Axis> sizes,
                                                     Compat compat);

}  // namespace muster::mesh
