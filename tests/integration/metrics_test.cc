// /metrics after a job's whole life: clean for promtool, with the names that dashboards ask for, and few series.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/harness/cluster.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

// The answer's body; empty without an answer of 200.
std::string Scrape(const std::string& address) {
  const std::vector<std::string> parts = absl::StrSplit(address, ':');
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  int port = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &port)) return "";
  to.sin_port = htons(static_cast<uint16_t>(port));
  inet_pton(AF_INET, parts[0].c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string ask = "GET /metrics HTTP/1.0\r\nHost: muster\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0 &&
      send(fd, ask.data(), ask.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(ask.size())) {
    char buffer[4096];
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof(buffer), 0)) > 0;) answer.append(buffer, n);
  }
  close(fd);
  const size_t body = answer.find("\r\n\r\n");
  return absl::StrContains(answer.substr(0, 20), " 200") && body != std::string::npos ? answer.substr(body + 4) : "";
}

// Series by name: "muster_jobs" -> {"{phase=\"queued\"}" -> 0}.
std::map<std::string, std::map<std::string, double>> Series(const std::string& text) {
  std::map<std::string, std::map<std::string, double>> series;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const size_t end = line.find_first_of("{ "), space = line.rfind(' ');
    double value = 0;
    EXPECT_TRUE(absl::SimpleAtod(line.substr(space + 1), &value)) << line;
    series[std::string(line.substr(0, end))][std::string(line.substr(end, space - end))] = value;
  }
  return series;
}

TEST(Metrics, AfterAJobsLife_AreCleanNamedAndBounded) {
  Cluster cluster({"--may-waive", "*", "--agent-lease", "10m", "--member-lease", "10m"});
  cluster.StartServer();
  FakeNode n1(cluster, {.name = "n1", .rack = "r1"}), n2(cluster, {.name = "n2", .rack = "r2"});
  n1.Serve();
  n2.Serve();
  // Many jobs of many names: none of them may become a label.
  for (int i = 0; i < 12; ++i) {
    const std::string name = absl::StrCat("job-", i);
    v1::SubmitRequest request = ExternalJob(name, 2, 2, {{"tp", 2}, {"dp", 2}});
    if (i == 0) request.mutable_spec()->mutable_self_test()->set_profile(v1::SelfTestSpec::QUICK);
    if (i == 0) request.mutable_spec()->mutable_self_test()->set_backend("simulated");
    cluster.Submit(request);
    const v1::Job job = cluster.WaitForPhase(name, v1::ASSEMBLING);
    ASSERT_EQ(job.phase(), v1::ASSEMBLING) << job.ShortDebugString() << cluster.Logs();
    const auto& ranks = job.placement().ranks();
    const auto zero = RankRequest(job, 0, 1, ranks[0].node()), one = RankRequest(job, 1, 1, ranks[1].node());
    HeldRank first(cluster, zero), second(cluster, one);
    ASSERT_TRUE(first.Wait() && second.Wait());
    ASSERT_EQ(first.outcome(), v1::READY) << first.status().error_message();
    EXPECT_TRUE(ReportExit(cluster, zero, 1, 0).ok() && ReportExit(cluster, one, 1, 0).ok());
    const v1::Job end = cluster.WaitForEnd(name);
    EXPECT_EQ(end.result(), v1::SUCCEEDED) << end.why();
  }
  // Levels are set once a while.
  std::string text;
  EXPECT_TRUE(Eventually([&] {
    text = Scrape(cluster.metrics_address());
    auto series = Series(text);
    return series["muster_jobs"]["{phase=\"finished\"}"] == 12 && series["muster_nodes"]["{use=\"free\"}"] == 2;
  })) << text;

  auto series = Series(text);
  EXPECT_EQ(series["muster_jobs"].size(), 9u);
  EXPECT_EQ(series["muster_node_conditions"]["{condition=\"ok\"}"], 2);
  EXPECT_EQ(series["muster_queue_depth"][""], 0);
  EXPECT_EQ(series["muster_members_missing"][""], 0);
  EXPECT_EQ(series["muster_releases_total"][""], 12);
  EXPECT_EQ(series["muster_placements_total"][""], 12);
  EXPECT_EQ(series["muster_self_tests_total"]["{verdict=\"pass\"}"], 1);
  EXPECT_GE(series["muster_handshake_seconds_count"][""], 12);
  EXPECT_EQ(series["muster_phase_seconds_count"]["{phase=\"assembling\"}"], 12);
  EXPECT_GT(series["muster_store_commit_seconds_count"][""], 0);
  EXPECT_EQ(series["muster_rpcs_total"].size() > 5, true) << text;
  EXPECT_TRUE(series.contains("muster_placement_cost")) << text;
  EXPECT_EQ(series["muster_placement_crossing_groups"].count("{family=\"dp_cp\",tier=\"rack\"}"), 1u) << text;
  EXPECT_EQ(series["muster_placement_crossing_edges"].count("{family=\"tp\",tier=\"rack\"}"), 1u) << text;
  EXPECT_GT(series["muster_self_test_busbw_bytes_per_second_count"].size(), 0u);

  size_t count = 0;
  for (const auto& [name, of_name] : series) {
    count += of_name.size();
    EXPECT_TRUE(absl::StartsWith(name, "muster_") || absl::StartsWith(name, "process_") ||
                absl::StartsWith(name, "exposer_") || absl::StartsWith(name, "grpc_"))
        << name;
  }
  EXPECT_LT(count, 1500u);
  EXPECT_FALSE(absl::StrContains(text, "job-")) << "a job's name is a label";
  EXPECT_FALSE(absl::StrContains(text, "\"n1\"")) << "a node's name is a label";

  const std::string file = cluster.folder() + "/metrics.txt", log = cluster.folder() + "/promtool.log";
  std::ofstream(file) << text;
  Process promtool = Process::Start({"/bin/sh", "-c", absl::StrCat("promtool check metrics < ", file)}, log);
  EXPECT_EQ(promtool.Wait(absl::Seconds(60)), 0) << ReadFile(log);
  EXPECT_EQ(ReadFile(log), "");
}

}  // namespace
}  // namespace muster::harness
