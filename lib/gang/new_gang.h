#pragma once
// The first state of a job.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/state.h"

namespace muster::gang {

struct Submission {
  JobUid uid;
  std::string ns, name, request_id;
  // Validated: members and workers_per_member >= 1, their product within int64.
  std::shared_ptr<const v1::JobSpec> spec;
  v1::Owner owner;
  int64_t sequence = 0;
  MeshPart mesh;
};

// Queued (source MUSTER) or Awaiting (KUEUE, BOUND). Profile NONE makes it waived: the caller has checked the policy.
Gang NewGang(Submission submission, absl::Time now);

}  // namespace muster::gang
