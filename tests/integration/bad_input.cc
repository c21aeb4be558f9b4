#include "tests/integration/bad_input.h"

#include <gtest/gtest.h>

#include <chrono>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/rpc/status.h"
#include "lib/base/errors.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

// Everything that a person can see, without what only tells that somebody has called.
std::string State(Cluster& cluster) {
  std::string state;
  grpc::ClientContext jobs, nodes, receipts;
  for (auto* context : {&jobs, &nodes, &receipts}) SetDeadline(*context);
  v1::ListJobsRequest request;
  request.set_include_finished(true);
  v1::ListJobsResponse job_list;
  EXPECT_TRUE(cluster.jobs().List(&jobs, request, &job_list).ok());
  for (const v1::Job& brief : job_list.jobs()) {
    v1::Job job = cluster.Get(brief.name());
    for (v1::MemberStatus& member : *job.mutable_members()) member.clear_last_seen();
    absl::StrAppend(&state, job.Utf8DebugString());
  }
  v1::ListNodesResponse node_list;
  EXPECT_TRUE(cluster.nodes().List(&nodes, {}, &node_list).ok());
  for (v1::Node& node : *node_list.mutable_nodes()) {
    node.clear_last_seen();
    absl::StrAppend(&state, node.Utf8DebugString());
  }
  v1::ListReceiptsResponse receipt_list;
  EXPECT_TRUE(cluster.receipts().List(&receipts, {}, &receipt_list).ok());
  return absl::StrCat(state, receipt_list.Utf8DebugString());
}

}  // namespace

void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
}

void CheckRows(const std::vector<std::vector<Row>>& tables, int least) {
  Cluster cluster({"--may-waive", "waived", "--agent-lease", "10m", "--member-lease", "10m"});
  cluster.StartServer();
  FakeNode n1(cluster, {.name = "n1"}), n2(cluster, {.name = "n2"});
  n1.Serve();
  n2.Serve();
  v1::SubmitRequest request = ExternalJob("present", 2, 2, {{"tp", 2}, {"dp", 2}});
  request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
  request.mutable_spec()->mutable_self_test()->set_backend("simulated");
  cluster.Submit(request);
  Present present;
  present.job = cluster.WaitForPhase("present", v1::ASSEMBLING);
  ASSERT_EQ(present.job.phase(), v1::ASSEMBLING) << present.job.ShortDebugString() << cluster.Logs();
  const auto& ranks = present.job.placement().ranks();
  present.member = RankRequest(present.job, 0, 1, ranks[0].node());
  HeldRank zero(cluster, present.member), one(cluster, RankRequest(present.job, 1, 1, ranks[1].node()));
  ASSERT_TRUE(zero.Wait() && one.Wait());
  ASSERT_EQ(zero.outcome(), v1::READY) << zero.status().error_message();
  present.job = cluster.Get("present");
  ASSERT_EQ(present.job.phase(), v1::RUNNING);
  const std::string before = State(cluster);

  int rows = 0;
  for (const std::vector<Row>& table : tables) {
    for (const Row& row : table) {
      SCOPED_TRACE(row.name);
      const grpc::Status status = row.call(cluster, present);
      EXPECT_EQ(status.error_code(), row.code) << status.error_message();
      EXPECT_TRUE(absl::StrContains(status.error_message(), row.says)) << status.error_message();
      EXPECT_LT(status.error_message().size(), 1000u) << "an error is no echo";
      const auto detail = DetailOf(FromGrpc(status));
      if (!detail) {
        ADD_FAILURE() << "no OutcomeDetail with: " << status.error_message();
        continue;
      }
      EXPECT_EQ(detail->field(), row.field) << status.error_message();
      EXPECT_FALSE(detail->way_out().empty()) << status.error_message();
      ++rows;
    }
  }
  EXPECT_GE(rows, least);
  EXPECT_EQ(State(cluster), before);
  EXPECT_TRUE(cluster.ServerRuns());
}

}  // namespace muster::harness
