#pragma once
// What others say of a job (its owner, Kueue, the scheduler that binds its pods), kept in every state (rule 14), and
// the verdicts that Muster owes them (rules 12, 13).

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "proto/muster/v1/placement.pb.h"

namespace muster::gang {

using PlacementPtr = std::shared_ptr<const v1::Placement>;

// A quota reservation by Kueue; a verdict of ours belongs to exactly one.
struct Reservation {
  std::string workload_uid;
  absl::Time reserved;
  std::string assignment;  // digest of its topology assignment
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// Owed to the reservation's owner until seen done.
struct VerdictOwed {
  enum class Kind { kReady, kRetry, kRejected } kind = Kind::kReady;
  Reservation reservation;
  std::string message;
  friend bool operator==(const VerdictOwed&, const VerdictOwed&) = default;
};

struct Facts {
  enum class OwnerState { kNone, kLiving, kFinished, kDeleted } owner = OwnerState::kNone;
  int64_t owner_restarts = 0;
  // The owner's restart counter that the present attempt stands for.
  int64_t counted_restarts = 0;
  std::optional<Reservation> reservation;
  // The placement that the reservation's assignment means.
  PlacementPtr assigned;
  // Answered with Retry or Rejected: never used again, also before Kueue has taken it back.
  std::optional<Reservation> spent;
  // Nodes of this job that are lost, quarantined or accused, until NodeRestored: an assignment that names one is
  // answered with Retry, untested.
  std::set<NodeUid> shunned;

  // Soft: names of the nodes where pods sit, by index (sources KUEUE and BOUND).
  std::map<PodIndex, std::string> bound;
};

}  // namespace muster::gang
