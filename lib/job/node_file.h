#pragma once
// Node files: the inventory of `muster plan --nodes cluster.yaml`.
//
//   tiers: [topology.example.com/block, topology.example.com/rack]     # coarse to fine: label keys, or {name, label}
//   nodes:
//     - {name: "gpu-a[01-04]", labels: {block: b1, rack: r1}, capacity: {gpu: 8}}
//     - {name: gpu-x, labels: {block: b1}, capacity: {gpu: 8}, condition: quarantined, reason: "NIC mlx5_3 slow"}
//
// A node's fields are NodeInfo's, and of Node: condition, reason, and job (namespace/name of who has it).
// A label may be named by its key or by its tier. A range keeps its zeros; several in a name multiply; a comma
// separates ranges ("n[1-3,7]"). Refused with the line, as in job files; and: a repeated name, a range that runs
// backwards, more than 20,000 nodes.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/topology/tiers.h"
#include "proto/muster/v1/node.pb.h"

namespace muster {

inline constexpr int kMaxFileNodes = 20000;

struct NodeFile {
  Tiers tiers;
  std::vector<v1::Node> nodes;  // in the file's order
};

// INVALID_ARGUMENT as ParseJobFile (job_file.h).
absl::StatusOr<NodeFile> ParseNodeFile(absl::string_view text, absl::string_view file);

}  // namespace muster
