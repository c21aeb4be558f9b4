#pragma once
// What can happen to a job. Everything that lib/gang learns of the world comes in as one of these.

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "lib/base/ids.h"
#include "lib/gang/incarnation.h"
#include "lib/gang/state.h"

namespace muster::gang {

// --- from the queue and the placement engine ---
struct PlacementFound {
  PlacementPtr placement;
};
struct NeverFits {
  std::string why;
};
// For Repairing: same ranks but those vacated.
struct ReplacementFound {
  PlacementPtr placement;
};
// A valid receipt for the placement's digest exists (same boot ids and devices, within max_age).
struct ReceiptFound {
  ReceiptId receipt;
  std::string digest;
};

// --- from the self-test ---
struct TestPlanned {
  TestId test;
  PlanPtr plan;
};  // the first round, or a further one of the same test
struct TestConcluded {
  TestId test;
  enum class Outcome { kPassed, kAccused, kInconclusive, kConfig, kInternal } outcome;
  std::set<NodeUid> accused;
  ReceiptId receipt;
  std::string why;
};

// --- from members ---
struct MemberCalled {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank;
  std::string node;
  std::string address;
  int32_t reserved_port = 0;
};
// The held call ended without an answer and was not renewed within the retry period.
struct MemberHungUp {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank;
};
struct CommandEnded {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank;
  Epoch epoch;
  int32_t exit_code = 0;
  bool ordered = false;  // on Muster's order: the code says nothing
};
struct LeaseLost {
  PodIndex index;
};
struct LeaseRenewed {
  PodIndex index;
  Incarnation incarnation;
};

// --- from nodes and their agents ---
struct EndConfirmed {
  NodeUid node;
  OrderNumber number;
};  // by the agent, the API server, the member or a person
struct StartRefused {
  NodeUid node;
  OrderNumber number;
  std::string why;
};
struct NodeLost {
  NodeUid node;
  std::string why;
};  // or quarantined: the same to a gang that isn't Running
struct NodeQuarantined {
  NodeUid node;
  std::string why;
};
// A node came back with another boot id or device set: a pass is void (rule 18).
struct NodeChanged {
  NodeUid node;
  std::string why;
};

// --- from the owner and the cluster (Kubernetes) ---
struct PodBound {
  PodIndex index;
  Incarnation incarnation;
  std::string node;
};
struct PodTerminating {
  PodIndex index;
  Incarnation incarnation;
};
struct PodGone {
  PodIndex index;
  Incarnation incarnation;
};
struct OwnerRestarted {
  int64_t restarts = 0;
};
struct OwnerFinished {
  bool succeeded = false;
};
struct OwnerDeleted {};
struct Reserved {
  Reservation reservation;
  PlacementPtr placement;
};
struct Evicted {};
struct VerdictSeen {
  Reservation reservation;
};

// --- from people and time ---
struct CancelRequested {
  std::string reason;
};
struct TimePassed {};  // some deadline of NextDeadline() is reached
// The coordinator has started again with this state: soft facts are unknown, periods of grace begin anew.
struct CoordinatorRestarted {};

using Event =
    std::variant<PlacementFound, NeverFits, ReplacementFound, ReceiptFound, TestPlanned, TestConcluded, MemberCalled,
                 MemberHungUp, CommandEnded, LeaseLost, LeaseRenewed, EndConfirmed, StartRefused, NodeLost,
                 NodeQuarantined, NodeChanged, PodBound, PodTerminating, PodGone, OwnerRestarted, OwnerFinished,
                 OwnerDeleted, Reserved, Evicted, VerdictSeen, CancelRequested, TimePassed, CoordinatorRestarted>;

}  // namespace muster::gang
