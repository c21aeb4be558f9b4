// A host whose link is slow, or that corrupts what it sends (faults of the simulated backend), is named, kept from the
// gang, and the job runs without it: or not at all.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/harness/cluster.h"

namespace muster::harness {
namespace {

struct Fault {
  const char* name;
  std::vector<std::string> flags;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class BadLink : public testing::TestWithParam<Fault> {
 protected:
  BadLink() : folder_(NewFolder("job")) {}

  // n3 is the bad one: where nothing else decides, the first nodes by name are chosen.
  void Start(int nodes) {
    cluster_.StartServer();
    for (int i = 1; i <= nodes; ++i) {
      cluster_.StartAgent(
          {.name = absl::StrCat("n", i), .flags = i == 3 ? GetParam().flags : std::vector<std::string>()});
    }
    ASSERT_TRUE(cluster_.WaitForNodes(nodes)) << cluster_.Logs();
  }

  v1::SubmitRequest Request() {
    v1::SubmitRequest request = AgentJob("train", 4, 2, {{"tp", 2}, {"pp", 2}, {"dp", 2}},
                                         {"/bin/sh", "-c", absl::StrCat("echo $MUSTER_NODE >> ", folder_, "/nodes")});
    request.mutable_spec()->mutable_self_test()->set_backend("simulated");
    return request;
  }

  std::set<std::string> NodesThatRan() { return absl::StrSplit(ReadFile(folder_ + "/nodes"), '\n', absl::SkipEmpty()); }

  // Of all receipts of the job: those that accuse a node, and the nodes.
  std::set<std::string> Accused() {
    grpc::ClientContext context;
    v1::ListReceiptsRequest request;
    request.mutable_job()->set_name("train");
    v1::ListReceiptsResponse response;
    EXPECT_TRUE(cluster_.receipts().List(&context, request, &response).ok());
    std::set<std::string> accused;
    for (const v1::Receipt& brief : response.receipts()) {
      const v1::Receipt receipt = cluster_.GetReceipt(brief.id());
      for (const v1::Accusation& accusation : receipt.accused()) {
        accused.insert(accusation.node());
        EXPECT_EQ(receipt.verdict(), v1::FAIL) << receipt.id();
        EXPECT_FALSE(accusation.evidence().empty()) << accusation.ShortDebugString();
      }
    }
    return accused;
  }

  Cluster cluster_;
  const std::string folder_;
};

TEST_P(BadLink, WithASpareNode_RunsWithoutTheBadOneAndNamesIt) {
  Start(5);
  cluster_.Submit(Request());
  const v1::Job job = cluster_.WaitForEnd("train", absl::Seconds(180));
  ASSERT_EQ(job.result(), v1::SUCCEEDED) << job.ShortDebugString() << cluster_.Logs();
  EXPECT_EQ(NodesThatRan(), (std::set<std::string>{"n1", "n2", "n4", "n5"}));
  EXPECT_EQ(Accused(), (std::set<std::string>{"n3"}));
  const v1::Node bad = cluster_.GetNode("n3");
  EXPECT_EQ(bad.condition(), v1::QUARANTINED) << bad.ShortDebugString();
  EXPECT_EQ(bad.use(), v1::FREE);
  EXPECT_GT(bad.until().seconds(), 0) << "a quarantine by a test ends by itself";
  EXPECT_FALSE(bad.reason().empty());
  const v1::Receipt last = cluster_.GetReceipt(job.receipt_id());
  EXPECT_EQ(last.verdict(), v1::PASS) << last.ShortDebugString();
  EXPECT_EQ(last.placement_digest(), job.placement().digest());
}

TEST_P(BadLink, WithoutASpareNode_IsNeverReleased) {
  Start(4);
  v1::SubmitRequest request = Request();
  request.mutable_spec()->mutable_limits()->mutable_repair_deadline()->set_seconds(2);
  cluster_.Submit(request);
  ASSERT_TRUE(Eventually([&] { return cluster_.GetNode("n3").condition() == v1::QUARANTINED; }, absl::Seconds(90)))
      << cluster_.Get("train").ShortDebugString() << cluster_.Logs();
  // Past the deadline of the repair it has failed, or waits for a fourth node.
  v1::Job job;
  EXPECT_TRUE(Eventually([&] {
    job = cluster_.Get("train");
    return job.phase() == v1::FINISHED || job.phase() == v1::QUEUED;
  })) << job.ShortDebugString();
  if (job.phase() == v1::FINISHED) {
    EXPECT_EQ(job.result(), v1::FAILED);
  }
  EXPECT_TRUE(absl::StrContains(job.why(), "node")) << job.why();
  EXPECT_EQ(job.epoch(), 0) << "no ranks were ever handed out";
  EXPECT_TRUE(NodesThatRan().empty());
  EXPECT_EQ(Accused(), (std::set<std::string>{"n3"}));
}

INSTANTIATE_TEST_SUITE_P(Faults, BadLink,
                         testing::Values(Fault{"slow", {"--simulate-slow", "20"}},
                                         Fault{"corrupting", {"--simulate-corrupt", "0.01"}}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace muster::harness
