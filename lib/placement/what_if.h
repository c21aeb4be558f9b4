#pragma once
// "What if": changes to a cluster that are tried on paper.
//
//   drain=gpu-[01-04]       no gang gets these nodes; whoever has them keeps them
//   readmit=gpu-07,gpu-09   they are ok again
//   end=team-a/small        the job gives up its nodes
//   add=gpu-x[1-8]@b1/r3    more nodes like most of those there are, in this domain; "-" stands for unknown

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/placement/cluster.h"

namespace muster::placement {

// INVALID_ARGUMENT, naming what_if: no such verb, node or job; a node to add that is there, or with another number of
// domains than there are tiers; more than 1,000 nodes to add. On an error `cluster` may be half changed.
absl::Status ApplyWhatIf(absl::string_view change, Cluster& cluster);

}  // namespace muster::placement
