#pragma once
// What `muster exec` is told, by flags and by the environment that an agent, Kubernetes or Slurm gives it.

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "client/worker/exec.h"
#include "client/worker/incarnation_file.h"

namespace muster::cli {

struct ExecFlags {
  std::string job, ns, server, node, address, state_dir;
  absl::optional<int64_t> index;
  bool per_member = false, per_worker = false, quiet = false;
  absl::optional<absl::Duration> grace;
  std::vector<std::string> command;
};

// Everything but the incarnation, and where that comes from.
struct ExecPlan {
  worker::ExecOptions options;
  // Absent: options.incarnation is whole, from the agent that started this process.
  absl::optional<worker::IncarnationSource> source;
};

// A flag goes before the environment. Read are, for
//   the job          MUSTER_JOB_UID, MUSTER_JOB
//   the pod index    MUSTER_POD_INDEX, JOB_COMPLETION_INDEX, SLURM_NODEID
//   the incarnation  MUSTER_INCARNATION_ORDINAL with _RESTART_ATTEMPT, _CREATED (RFC 3339) and _UID; else
//   MUSTER_POD_UID and
//                    JOBSET_RESTART_ATTEMPT or SLURM_RESTART_COUNT with a count kept in --state-dir
//   the node         MUSTER_NODE, else `hostname`;  the address  MUSTER_ADDRESS
// Usage error: no job, no index, or one of them malformed.
absl::StatusOr<ExecPlan> PlanExec(const ExecFlags& flags, const std::function<std::string(const std::string&)>& env,
                                  const std::string& hostname);

}  // namespace muster::cli
