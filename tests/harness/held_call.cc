#include "tests/harness/held_call.h"

#include <gtest/gtest.h>

#include "client/rpc/status.h"
#include "lib/base/errors.h"

namespace muster::harness {

v1::GetRankRequest RankRequest(const v1::Job& job, int pod_index, int64_t ordinal, const std::string& node,
                               absl::Duration poll) {
  v1::GetRankRequest request;
  request.mutable_job()->set_uid(job.uid());
  request.set_pod_index(pod_index);
  request.mutable_incarnation()->set_ordinal(ordinal);
  request.set_node(node);
  request.set_reserved_port(29500 + pod_index % 1000);
  request.mutable_poll()->set_seconds(absl::ToInt64Seconds(poll));
  return request;
}

HeldRank::HeldRank(Cluster& cluster, const v1::GetRankRequest& request) : request_(request) {
  context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
  cluster.workers().async()->GetRank(&context_, &request_, &response_, [this](grpc::Status status) {
    status_ = std::move(status);
    done_.Notify();
  });
}

HeldRank::~HeldRank() {
  context_.TryCancel();
  done_.WaitForNotification();
}

bool HeldRank::Wait(absl::Duration deadline) const {
  return Eventually([this] { return Done(); }, deadline);
}

v1::Outcome HeldRank::outcome() const {
  if (status_.ok()) return response_.has_not_ready() ? v1::OUTCOME_NOT_READY : v1::READY;
  const auto detail = DetailOf(FromGrpc(status_));
  return detail ? detail->outcome() : v1::OUTCOME_UNSPECIFIED;
}

std::string GetAssignment(Cluster& cluster, v1::GetRankRequest request) {
  std::string assignment, last;
  request.mutable_poll()->set_seconds(5);
  Eventually(
      [&] {
        HeldRank call(cluster, request);
        call.Wait();
        last = call.status().ok() ? call.response().ShortDebugString() : call.status().error_message();
        if (call.status().ok() && !call.response().has_not_ready()) assignment = call.response().assignment();
        return !assignment.empty() || (!call.status().ok() && call.status().error_code() != grpc::UNAVAILABLE);
      },
      absl::Seconds(60));
  EXPECT_FALSE(assignment.empty()) << "member " << request.pod_index() << " has no rank: " << last;
  return assignment;
}

absl::Status ReportExit(Cluster& cluster, const v1::GetRankRequest& who, int64_t epoch, int exit_code) {
  v1::ReportExitRequest request;
  *request.mutable_job() = who.job();
  request.set_pod_index(who.pod_index());
  *request.mutable_incarnation() = who.incarnation();
  if (who.has_local_rank()) request.set_local_rank(who.local_rank());
  request.set_epoch(epoch);
  request.set_exit_code(exit_code);
  absl::Status status;
  Eventually([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::ReportExitResponse response;
    status = ToAbsl(cluster.workers().ReportExit(&context, request, &response));
    return !absl::IsUnavailable(status);
  });
  return status;
}

}  // namespace muster::harness
