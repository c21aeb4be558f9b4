#pragma once
// The placements that `muster compare placements` sets against each other, each named by one word.
//
//   muster            Muster's own nodes and ranks
//   name-order        Muster's nodes, ranks by the names in natural order
//   kueue, slurm, torchrun                      that scheduler's nodes and order (lib/placement/baselines)
//   kueue+muster, slurm+muster                  its nodes, ranks laid by Muster
//   job:NAME          the placement that a job has now
//   FILE              nodes by node rank: one a line or host lists, what `muster plan -o json` printed, or
//                     {"nodes": […]}

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "lib/placement/cluster.h"
#include "lib/placement/request.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::cli {

// Its ranks, crossings and cost on the cluster. Usage error: no such word and no such file; a file that lists another
// number of nodes, a node twice, or one that isn't there. FAILED_PRECONDITION, with the reason: nothing is found by
// that rule.
absl::StatusOr<v1::Placement> PlaceContender(Context& context, const std::string& name,
                                             const placement::Request& request, const placement::Cluster& cluster);

}  // namespace muster::cli
