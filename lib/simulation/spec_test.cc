#include "lib/simulation/spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace muster::simulation {
namespace {

using ::testing::HasSubstr;

TEST(Spec, Cluster_HasItsTree) {
  const auto cluster = ClusterOfSpec("blocks=2,racks=3,nodes=4,gpus=16", "--nodes");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->topology->size(), 24);
  EXPECT_EQ(cluster->topology->DomainsOfTier(1).size(), 6u);
  EXPECT_EQ(cluster->facts_of(NodeIndex(0)).slots, 16);
}

TEST(Spec, Trace_IsTheSameForOneSeed_AndHasTheLoad) {
  const auto trace = TraceOfSpec("jobs=2000,seed=7,load=0.5", "--trace", 64, 8);
  const auto again = TraceOfSpec("jobs=2000,seed=7,load=0.5", "--trace", 64, 8);
  const auto other = TraceOfSpec("jobs=2000,seed=8,load=0.5", "--trace", 64, 8);
  ASSERT_TRUE(trace.ok() && again.ok() && other.ok());
  double work = 0;
  bool differs = false;
  for (size_t i = 0; i < trace->jobs.size(); ++i) {
    const TraceJob& job = trace->jobs[i];
    EXPECT_EQ(job.submit, again->jobs[i].submit);
    EXPECT_EQ(job.nodes, again->jobs[i].nodes);
    differs |= job.nodes != other->jobs[i].nodes;
    EXPECT_LE(job.nodes, 8);
    EXPECT_EQ(int64_t{job.nodes} * 8 % (job.mesh.tp * job.mesh.pp), 0);
    if (i > 0) {
      EXPECT_GE(job.submit, trace->jobs[i - 1].submit);
    }
    work += job.nodes * absl::ToDoubleSeconds(std::min(job.run, job.limit));
  }
  EXPECT_TRUE(differs);
  EXPECT_NEAR(work / 64 / absl::ToDoubleSeconds(trace->jobs.back().submit), 0.5, 0.05);
}

TEST(Spec, Bad_NamesKeyAndWayOut) {
  const auto nodes = [](const char* text) { return ClusterOfSpec(text, "--nodes").status(); };
  const auto jobs = [](const char* text) { return TraceOfSpec(text, "--trace", 64, 8).status(); };
  const auto failures = [](const char* text) { return FailuresOfSpec(text, "--failures").status(); };
  struct Row {
    absl::Status status;
    const char* says;
  };
  for (const Row& row :
       {Row{nodes("racks=3"), "--nodes: nodes: is missing"}, Row{nodes("nodes"), "\"nodes\": is not key=value"},
        Row{nodes("noods=3"), "\"noods\": is unknown; did you mean nodes?"},
        Row{nodes("nodes=0"), "nodes: \"0\" is no whole number of 1 to"},
        Row{nodes("nodes=-5"), "nodes: \"-5\" is no whole number"},
        Row{nodes("nodes=99999999999999999999"), "is no whole number"},
        Row{nodes("blocks=2000,racks=2000,nodes=2000"), "are more than 200000; make one smaller"},
        Row{nodes("nodes=1,nodes=2"), "nodes: is there twice"},
        Row{jobs("jobs=1e9"), "--trace: jobs: \"1e9\" is no whole number"}, Row{jobs("load=nan"), "load: \"nan\""},
        Row{jobs("load=-1"), "load: \"-1\" is no number of 0.001"}, Row{jobs("run=-1h"), "run: \"-1h\" is negative"},
        Row{jobs("run=soon"), "run: \"soon\" is no duration"}, Row{jobs("largest=65"), "largest: \"65\""},
        Row{jobs("jobs=1000000,run=365d,load=0.001"), "load: spreads the jobs over more than ten years"},
        Row{failures("repair=1h"), "--failures: every: is missing"}, Row{failures("every=1s"), "less than a minute"}}) {
    EXPECT_EQ(row.status.code(), absl::StatusCode::kInvalidArgument) << row.says;
    EXPECT_THAT(std::string(row.status.message()), HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace muster::simulation
