#pragma once
// Groups as messages: what agents and verdicts read instead of a Mesh.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/mesh/group.h"
#include "proto/muster/v1/mesh.pb.h"

namespace muster::selftest {

// The largest group that anybody may ask the members of.
inline constexpr int64_t kMaxGroupSize = 1 << 20;

// Strides where they express the group, else explicit members. Precondition: size() <= kMaxGroupSize.
v1::StridedGroup ToMessage(const mesh::Group& group);

// Members in group order. INVALID_ARGUMENT: strides and sizes differ in number, a size below 1, more than kMaxGroupSize
// members, a member that is negative, repeated or past 2^63-1. Safe for hostile messages.
absl::StatusOr<std::vector<int64_t>> MembersOf(const v1::StridedGroup& group);

}  // namespace muster::selftest
