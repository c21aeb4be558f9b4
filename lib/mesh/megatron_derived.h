#pragma once
// Families that Megatron cuts from others: levels, ends, concatenations.

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "lib/mesh/family.h"

namespace muster::mesh {

// Level `level` of each cp group: its index written in mixed radix over `sizes`, the first one fastest; a group varies
// digit `level` and fixes the others. Enumerated within a cp group with the lower digits fastest.
// Precondition: the sizes multiply to the members of a group of `cp`, which has one digit.
StridedLayout HierarchicalLevel(const StridedLayout& cp, absl::Span<const int64_t> sizes, size_t level);

// First and last member of each pipeline group (one member where it has one); its first member.
StridedLayout FirstAndLast(const StridedLayout& pp);
StridedLayout FirstOnly(const StridedLayout& pp);

// Every `count` consecutive groups of `parent` as one, members in that sequence: not ascending where a digit of the
// group is wider than the step between groups. Precondition: count divides the number of groups.
StridedLayout Concatenated(const StridedLayout& parent, int64_t count);

}  // namespace muster::mesh
