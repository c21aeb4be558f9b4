#pragma once
// Clusters, traces and failures made from a line of settings, "racks=20,nodes=25", in place of a file.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/placement/cluster.h"
#include "lib/simulation/trace.h"

namespace muster::simulation {

// Most nodes of a cluster that is made here.
inline constexpr int64_t kMaxSpecNodes = 200'000;

// All errors: INVALID_ARGUMENT "WHERE: key: problem; way out", WHERE being what the caller calls the text ("--nodes"):
// no key=value, an unknown key, one there twice, a value that is no such thing or out of range.

// nodes=N a rack (needed), racks=N a block (1), blocks=N (1), gpus=N a node (8). All free; tiers block and rack.
absl::StatusOr<placement::Cluster> ClusterOfSpec(absl::string_view spec, absl::string_view where);

// jobs=N (1,000), seed=N (1), load=X: node-time of the jobs against the cluster's until the last submission (0.8),
// largest=N nodes (an eighth of the cluster), run=DURATION the median (1h), namespaces=N (4), limits=X share of jobs
// that declare their greatest duration (0.9), urgent=X share of priority 100 (0.1), mesh=0|1 (1). Sizes are mostly
// powers of two, the small ones most; durations are log-normal.
absl::StatusOr<Trace> TraceOfSpec(absl::string_view spec, absl::string_view where, int64_t cluster_nodes,
                                  int64_t gpus_per_node);

// How nodes fail.
struct Failures {
  // Mean time between the failures of one node; InfiniteDuration: none fail.
  absl::Duration every = absl::InfiniteDuration();
  absl::Duration repair = absl::Hours(4);
  // How often jobs save their work; ZeroDuration: never, all of it is lost.
  absl::Duration checkpoint = absl::Hours(1);
  uint64_t seed = 1;
};
// every=DURATION (needed), repair=DURATION (4h), checkpoint=DURATION (1h), seed=N (1).
absl::StatusOr<Failures> FailuresOfSpec(absl::string_view spec, absl::string_view where);

}  // namespace muster::simulation
