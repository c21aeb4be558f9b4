// musterd over a day's worth of jobs: its memory stays flat, and it stops at once when told, with nothing lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/harness/cluster.h"
#include "tests/harness/fake_node.h"
#include "tests/harness/held_call.h"

namespace muster::harness {
namespace {

int64_t ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  int64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

template <typename Request, typename Response, typename Stub>
grpc::Status Call(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response& response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  return (stub.*method)(&context, request, &response);
}

constexpr int kLanes = 16;

// One job of one member after another on a node of its own: every other one runs to its good end, the others are
// cancelled where they happen to be.
class Lane {
 public:
  Lane(Cluster& cluster, int number) : cluster_(cluster), name_(absl::StrCat("lane-", number)) {}

  // False, with a message, if anything was not as it should be.
  bool Cycle(int n) {
    v1::SubmitRequest submit = ExternalJob(name_, 1, 2, {{"tp", 2}});
    submit.mutable_spec()->mutable_placement()->add_nodes(name_);
    v1::SubmitResponse submitted;
    if (!Good(Call(cluster_.jobs(), &v1::JobService::Stub::Submit, submit, submitted))) return false;
    const v1::Job& job = submitted.job();
    if (n % 2 == 0) {
      v1::CancelJobRequest cancel;
      cancel.mutable_job()->set_uid(job.uid());
      v1::Job cancelled;
      return Good(Call(cluster_.jobs(), &v1::JobService::Stub::Cancel, cancel, cancelled)) && Ended(job);
    }
    const v1::GetRankRequest rank = RankRequest(job, 0, n, name_);
    v1::GetRankResponse ranked;
    do {
      if (!Good(Call(cluster_.workers(), &v1::WorkerService::Stub::GetRank, rank, ranked))) return false;
    } while (ranked.has_not_ready());
    v1::ReportExitRequest exit;
    *exit.mutable_job() = rank.job();
    exit.set_pod_index(0);
    *exit.mutable_incarnation() = rank.incarnation();
    exit.set_epoch(1);
    v1::ReportExitResponse reported;
    return Good(Call(cluster_.workers(), &v1::WorkerService::Stub::ReportExit, exit, reported)) && Ended(job);
  }

  const std::string& trouble() const { return trouble_; }

 private:
  bool Good(const grpc::Status& status) {
    if (!status.ok()) trouble_ = absl::StrCat(name_, ": ", status.error_message());
    return status.ok();
  }

  bool Ended(const v1::Job& job) {
    v1::GetJobRequest request;
    request.mutable_job()->set_uid(job.uid());
    v1::Job now;
    const bool ended = Eventually(
        [&] {
          return !Good(Call(cluster_.jobs(), &v1::JobService::Stub::Get, request, now)) || now.phase() == v1::FINISHED;
        },
        absl::Seconds(60));
    if (now.phase() != v1::FINISHED) trouble_ = absl::StrCat(name_, " has not ended: ", now.ShortDebugString());
    return ended && now.phase() == v1::FINISHED;
  }

  Cluster& cluster_;
  const std::string name_;
  std::string trouble_;
};

class Soak : public testing::Test {
 protected:
  Soak()
      : cluster_({"--may-waive", "*", "--agent-lease", "24h", "--member-lease", "24h", "--keep-finished", "200",
                  "--log-level", "warn"}) {}

  // Runs cycles first..last-1 over all lanes.
  void Cycles(int first, int last) {
    std::atomic<int> next{first};
    std::atomic<bool> failed{false};
    std::vector<std::thread> threads;
    std::vector<std::string> troubles(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) {
      threads.emplace_back([&, lane] {
        Lane own(cluster_, lane);
        for (int n = next++; n < last && !failed; n = next++) {
          if (own.Cycle(n)) continue;
          troubles[lane] = absl::StrCat("cycle ", n, ": ", own.trouble());
          failed = true;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& trouble : troubles) ASSERT_EQ(trouble, "");
  }

  Cluster cluster_;
};

TEST_F(Soak, TenThousandJobs_AtFlatMemory) {
  cluster_.StartServer();
  std::vector<std::unique_ptr<FakeNode>> nodes;
  for (int lane = 0; lane < kLanes; ++lane) {
    nodes.push_back(std::make_unique<FakeNode>(cluster_, NodeSpec{.name = absl::StrCat("lane-", lane)}));
  }
  const absl::Time start = absl::Now();
  Cycles(0, 2'000);
  if (HasFatalFailure()) return;
  const int64_t early = ResidentBytes(cluster_.server_pid());
  Cycles(2'000, 10'000);
  if (HasFatalFailure()) return;
  const int64_t late = ResidentBytes(cluster_.server_pid());
  const absl::Duration took = absl::Now() - start;
  std::printf("10,000 jobs in %s; resident after 2,000: %.1f MiB, after 10,000: %.1f MiB\n",
              absl::FormatDuration(took).c_str(), early / 1048576.0, late / 1048576.0);
  EXPECT_LT(late - early, std::max(early / 10, int64_t{16} << 20));
  EXPECT_LT(took, absl::Minutes(14));
  v1::ListJobsRequest list;
  list.set_include_finished(true);
  list.set_page_size(1000);
  v1::ListJobsResponse jobs;
  ASSERT_TRUE(Call(cluster_.jobs(), &v1::JobService::Stub::List, list, jobs).ok());
  EXPECT_LE(jobs.jobs_size(), 200) << "finished jobs are kept beyond the limit";
  EXPECT_GE(jobs.jobs_size(), 150);
  EXPECT_EQ(cluster_.StopServer(absl::Seconds(5)), 0);
}

TEST_F(Soak, SigtermWithCallsHeld_StopsWithinFiveSecondsAndLosesNothing) {
  cluster_.StartServer();
  FakeNode n1(cluster_, {.name = "n1"}), n2(cluster_, {.name = "n2"}), n3(cluster_, {.name = "n3"});
  n3.Serve();  // holds a call for orders
  const v1::SubmitRequest request = ExternalJob("train", 2, 2, {{"tp", 2}, {"dp", 2}});
  cluster_.Submit(request);
  const v1::Job job = cluster_.WaitForPhase("train", v1::ASSEMBLING);
  ASSERT_EQ(job.phase(), v1::ASSEMBLING) << job.ShortDebugString();
  const auto& ranks = job.placement().ranks();
  std::vector<std::unique_ptr<HeldRank>> calls;
  for (int i = 0; i < 200; ++i) {
    calls.push_back(std::make_unique<HeldRank>(cluster_, RankRequest(job, 0, 1, ranks[0].node())));
  }
  grpc::ClientContext watch_context;
  v1::WatchJobRequest watch;
  watch.mutable_job()->set_uid(job.uid());
  auto stream = cluster_.jobs().Watch(&watch_context, watch);
  v1::Job seen;
  ASSERT_TRUE(stream->Read(&seen));
  // Acknowledged just before the end.
  cluster_.Submit(ExternalJob("queued", 3, 2, {}));

  const absl::Time told = absl::Now();
  EXPECT_EQ(cluster_.StopServer(absl::Seconds(5)), 0);
  std::printf("stopped in %s with 200 calls held\n", absl::FormatDuration(absl::Now() - told).c_str());
  for (const auto& call : calls) {
    ASSERT_TRUE(call->Wait());
    EXPECT_NE(call->outcome(), v1::READY);
    if (!call->status().ok()) {
      EXPECT_EQ(call->status().error_code(), grpc::UNAVAILABLE) << call->status().error_message();
    }
  }
  while (stream->Read(&seen)) {
  }
  EXPECT_FALSE(stream->Finish().ok()) << "the end of the server is no end of the job";

  cluster_.StartServer();
  EXPECT_EQ(cluster_.Get("queued").phase(), v1::QUEUED);
  const v1::Job after = cluster_.Get("train");
  EXPECT_EQ(after.phase(), v1::ASSEMBLING) << after.ShortDebugString();
  EXPECT_EQ(after.placement().digest(), job.placement().digest());
  HeldRank zero(cluster_, RankRequest(job, 0, 1, ranks[0].node())),
      one(cluster_, RankRequest(job, 1, 1, ranks[1].node()));
  ASSERT_TRUE(zero.Wait() && one.Wait());
  EXPECT_EQ(zero.outcome(), v1::READY) << zero.status().error_message();
  EXPECT_EQ(one.outcome(), v1::READY) << one.status().error_message();
}

}  // namespace
}  // namespace muster::harness
