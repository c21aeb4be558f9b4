#pragma once
// The incarnation of this start of `muster exec`, greater than that of every start before it in the same pod or on the
// same host.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/muster/v1/identity.pb.h"

namespace muster::worker {

struct IncarnationSource {
  // Restart attempt of the owner, where the environment says it (JOBSET_RESTART_ATTEMPT). Default 0.
  int64_t restart_attempt = 0;
  // Empty on a host.
  std::string pod_uid;
  // Where the count of starts is kept: the pod's emptyDir, or the host. Made if absent.
  std::string folder;
  // Which member: "<job>/<index>".
  std::string member;
};

// Raises the count durably (flock, fsync) and returns the new incarnation. Without a pod `created` is `now`, or just
// past that of the start before where the clock has been set back. PERMISSION_DENIED: the folder can't be written.
absl::StatusOr<v1::Incarnation> NextIncarnation(const IncarnationSource& source, absl::Time now);

}  // namespace muster::worker
