#pragma once
// What a self-test's result is valid for: this mesh on these nodes in this order.

#include <string>
#include <vector>

#include "lib/base/ids.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::placement {

// Lower-case hexadecimal sha256 of CanonicalText; 64 characters.
std::string Digest(const v1::JobSpec& spec, const std::vector<NodeUid>& node_of_rank);

// What is hashed, lines ended by '\n', strings as "<length>:<bytes>":
//   muster placement 1
//   members M workers_per_member W
//   mesh.<field> <value>      every field that is set, by field number, nested and repeated ones in order
//   rank <uid>                once a node rank, in rank order
// The dialect's default is written out, so that it and an empty dialect are one. Without a mesh there are no mesh
// lines. A field that the mesh gains later adds lines only where it is set: old digests stay valid.
std::string CanonicalText(const v1::JobSpec& spec, const std::vector<NodeUid>& node_of_rank);

}  // namespace muster::placement
