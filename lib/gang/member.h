#pragma once
// What is known of one member.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"

namespace muster::gang {

struct Member {
  // The greatest ever seen. Where each worker calls by itself: the greatest of its workers', which share its uid.
  std::optional<Incarnation> incarnation;
  // One call a worker: by local rank. Superseding is within (index, pod uid, local rank) (rule 23).
  std::map<int32_t, Incarnation> workers;
  // Whether the above is durable: since a lesser one was refused for it, or it was bound to an epoch.
  bool recorded = false;
  // Reported the end of its command in this epoch; the worst of its workers' where those report.
  std::optional<int32_t> exit_code;
  std::set<int32_t> workers_exited;
  // Its pod is being deleted: absent, and greater than no other for it (rule 22).
  bool terminating = false;

  // Soft from here on.
  std::string node;     // name, as the caller or its pod says
  std::string address;  // where node rank 0 is reached, if it becomes that
  int32_t reserved_port = 0;
  bool waiting = false;                  // a GetRank call is held, or was within the retry period
  std::set<int32_t> workers_waiting;     // one call a worker
  std::map<int32_t, Epoch> watched;      // the last epoch that was watched, by local rank; -1: the member as a whole
  std::optional<absl::Time> lease_lost;  // since when its lease is lost
  absl::Time last_seen = absl::InfinitePast();
};

}  // namespace muster::gang
