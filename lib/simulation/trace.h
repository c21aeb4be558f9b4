#pragma once
// A trace: the jobs that are submitted to a simulated cluster, and how long each would run.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace muster::simulation {

// Bounds of what a trace may hold; beyond is a mistake of its writer.
inline constexpr int64_t kMaxTraceJobs = 1'000'000;
inline constexpr int64_t kMaxTraceNodes = 1'000'000;  // of one job
inline constexpr int64_t kMaxTraceGpus = 1'024;       // of one node
inline constexpr absl::Duration kMaxTraceTime = absl::Hours(24 * 3660);

// How a job ended where the trace was taken.
enum class TraceEnd { kCompleted, kFailed, kCancelled };

// Degrees of the mesh, Megatron's; all 1: no mesh.
struct TraceMesh {
  int64_t tp = 1, cp = 1, pp = 1, ep = 1;
  bool any() const { return tp > 1 || cp > 1 || pp > 1 || ep > 1; }
  auto operator<=>(const TraceMesh&) const = default;
};

struct TraceJob {
  std::string name;  // distinct
  std::string ns = "default";
  absl::Duration submit;  // since the trace began
  int32_t nodes = 1;
  int32_t gpus_per_node = 8;
  // Until it ends by itself, on its nodes and undisturbed.
  absl::Duration run;
  // The greatest duration that it declares; InfiniteDuration: none. It is ended then.
  absl::Duration limit = absl::InfiniteDuration();
  int32_t priority = 0;
  std::string required;  // tier; empty: none
  int32_t spares = 0;
  TraceMesh mesh;
  TraceEnd end = TraceEnd::kCompleted;
};

// By submission.
struct Trace {
  std::vector<TraceJob> jobs;
  // Rows that are no jobs: steps, jobs that never ran.
  int64_t skipped = 0;
};

}  // namespace muster::simulation
