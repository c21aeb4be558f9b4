#pragma once
// Calls of members that a test keeps open while it does something else.

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lib/base/notification.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"
#include "tests/harness/cluster.h"

namespace muster::harness {

// Who calls: one member (or, with local_rank, one worker) of a job.
v1::GetRankRequest RankRequest(const v1::Job& job, int pod_index, int64_t ordinal, const std::string& node,
                               absl::Duration poll = absl::Seconds(60));

// One GetRank, held until it is answered; cancelled with the object.
class HeldRank {
 public:
  HeldRank(Cluster& cluster, const v1::GetRankRequest& request);
  ~HeldRank();

  bool Done() const { return done_.HasBeenNotified(); }
  // False at the deadline.
  bool Wait(absl::Duration deadline = absl::Seconds(60)) const;
  // Only once done.
  const grpc::Status& status() const { return status_; }
  const v1::GetRankResponse& response() const { return response_; }
  // Of the OutcomeDetail of an error; READY or OUTCOME_NOT_READY of an answer.
  v1::Outcome outcome() const;

 private:
  grpc::ClientContext context_;
  const v1::GetRankRequest request_;
  v1::GetRankResponse response_;
  grpc::Status status_;
  Notification done_;
};

// Calls again while it is not ready, up to a minute; the assignment's bytes. Empty (and a failed test) without.
std::string GetAssignment(Cluster& cluster, v1::GetRankRequest request);

absl::Status ReportExit(Cluster& cluster, const v1::GetRankRequest& who, int64_t epoch, int exit_code);

}  // namespace muster::harness
