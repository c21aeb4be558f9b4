#pragma once
// Slurm's topology.conf, of topology/tree and topology/block; also what Topograph and Slinky write of it.
//
//   SwitchName=leaf1 Nodes=gpu[001-016]      BlockName=block1 Nodes=gpu[001-018]
//   SwitchName=spine Switches=leaf[1-4]      BlockSizes=18,36
//
// Keys in any case; `#` starts a comment; a `\` at the end of a line joins the next. LinkSpeed is read over.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/inventory/slurm_topology.h"

namespace muster::inventory {

// Finished (slurm_topology.h). Errors with file and line, and kinds (source_error.h): unknown_key, mixed_formats,
// bad_hostlist, bad_value, nodes_and_children, too_many, too_long (a line above 1 MiB), and those of Finish.
absl::StatusOr<SlurmTopology> ParseSlurmConf(absl::string_view text, absl::string_view file,
                                             const std::vector<std::string>* known_nodes = nullptr);

}  // namespace muster::inventory
