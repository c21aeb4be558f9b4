// `muster exec` against a coordinator played by the test, with real processes.

#include "client/worker/exec.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/worker/exec_child.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/assignment.pb.h"
#include "proto/muster/v1/worker_service.grpc.pb.h"

namespace muster::worker {
namespace {

// Answers GetRank from a list; WatchGang waits until an order is given. Records exits.
class FakeCoordinator final : public v1::WorkerService::Service {
 public:
  FakeCoordinator() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    address = absl::StrCat("127.0.0.1:", port);
  }
  ~FakeCoordinator() override {
    {
      MutexLock lock(&mu_);
      closing_ = true;
      changed_.NotifyAll();
    }
    server_->Shutdown();
  }

  grpc::Status GetRank(grpc::ServerContext*, const v1::GetRankRequest* request,
                       v1::GetRankResponse* response) override {
    MutexLock lock(&mu_);
    last_epochs_.push_back(request->has_last_epoch() ? request->last_epoch() : -1);
    response->mutable_envelope()->set_term(2);
    if (ranks_.empty()) {
      v1::OutcomeDetail detail;
      detail.set_outcome(v1::CANCELLED);
      v1::StatusDetails details;
      details.add_details()->PackFrom(detail);
      return {grpc::StatusCode::FAILED_PRECONDITION, "the job was cancelled", details.SerializeAsString()};
    }
    response->set_assignment(ranks_.front().SerializeAsString());
    ranks_.pop_front();
    return grpc::Status::OK;
  }
  grpc::Status WatchGang(grpc::ServerContext* context, const v1::WatchGangRequest*,
                         v1::WatchGangResponse* response) override {
    MutexLock lock(&mu_);
    if (past_after_ > 0) {
      past_.push_back(absl::Now());
      if (past_.size() >= past_after_) std::ofstream(past_file_) << "x";
      response->mutable_envelope()->set_term(1);
      response->set_order(v1::WatchGangResponse::STOP_AND_LEAVE);
      return grpc::Status::OK;
    }
    const auto due = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
      return !orders_.empty() && std::filesystem::exists(order_after_);
    };
    while (!due() && !closing_ && !context->IsCancelled()) changed_.WaitFor(&mu_, std::chrono::milliseconds(20));
    response->mutable_envelope()->set_term(2);
    if (!due()) return grpc::Status::OK;
    response->set_order(orders_.front());
    response->set_why("a node was lost");
    response->set_outcome(v1::CANCELLED);
    orders_.pop_front();
    return grpc::Status::OK;
  }
  grpc::Status ReportExit(grpc::ServerContext*, const v1::ReportExitRequest* request,
                          v1::ReportExitResponse*) override {
    MutexLock lock(&mu_);
    exits_.push_back(*request);
    return grpc::Status::OK;
  }

  void Give(v1::Assignment assignment) {
    MutexLock lock(&mu_);
    ranks_.push_back(std::move(assignment));
  }
  // Given once the command has made the file `after`.
  void Order(v1::WatchGangResponse::Order order, std::string after) {
    MutexLock lock(&mu_);
    order_after_ = std::move(after);
    orders_.push_back(order);
    changed_.NotifyAll();
  }
  // From now on it answers every watch at once with an order of the term before; makes `file` with the `count`th.
  void BeOfThePast(size_t count, std::string file) {
    MutexLock lock(&mu_);
    past_after_ = count;
    past_file_ = std::move(file);
  }
  std::vector<absl::Time> past() {
    MutexLock lock(&mu_);
    return past_;
  }
  std::vector<v1::ReportExitRequest> exits() {
    MutexLock lock(&mu_);
    return exits_;
  }

  // As each GetRank call said it; -1: it didn't.
  std::vector<int64_t> last_epochs() {
    MutexLock lock(&mu_);
    return last_epochs_;
  }

  std::string address;

 private:
  Mutex mu_;
  CondVar changed_;
  std::deque<v1::Assignment> ranks_ ABSL_GUARDED_BY(mu_);
  std::deque<v1::WatchGangResponse::Order> orders_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::ReportExitRequest> exits_ ABSL_GUARDED_BY(mu_);
  std::vector<int64_t> last_epochs_ ABSL_GUARDED_BY(mu_);
  std::string order_after_ ABSL_GUARDED_BY(mu_);
  size_t past_after_ ABSL_GUARDED_BY(mu_) = 0;
  std::string past_file_ ABSL_GUARDED_BY(mu_);
  std::vector<absl::Time> past_ ABSL_GUARDED_BY(mu_);
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::unique_ptr<grpc::Server> server_;
};

class ExecTest : public testing::Test {
 protected:
  void SetUp() override {
    out_ = absl::StrCat(testing::TempDir(), "/", testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(out_);
    std::filesystem::create_directories(out_);
    assignment_.set_job_uid("job-1");
    assignment_.set_members(2);
    assignment_.set_node_rank(1);
    assignment_.set_workers_per_member(2);
    assignment_.set_world(4);
    assignment_.set_epoch(1);
  }
  int Run(const std::string& script, std::optional<bool> per_member = std::nullopt) {
    ExecOptions options;
    options.server = coordinator_.address;
    options.job.set_name("j");
    options.per_member = per_member;
    options.grace = absl::Milliseconds(300);
    options.quiet = true;
    options.logs = "/data/logs/job-1/0";
    options.command = {"/bin/sh", "-c", script};
    return Exec(options);
  }
  std::string Read(const std::string& name) {
    std::ifstream in(out_ + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  FakeCoordinator coordinator_;
  v1::Assignment assignment_;
  std::string out_;
};

TEST_F(ExecTest, OnceAWorker_EachHasItsRank) {
  coordinator_.Give(assignment_);
  EXPECT_EQ(Run(absl::StrCat("echo $RANK $LOCAL_RANK > ", out_, "/$LOCAL_RANK")), 0);
  EXPECT_EQ(Read("0"), "2 0\n");
  EXPECT_EQ(Read("1"), "3 1\n");
  ASSERT_EQ(coordinator_.exits().size(), 1u);
  EXPECT_EQ(coordinator_.exits()[0].exit_code(), 0);
  EXPECT_FALSE(coordinator_.exits()[0].ordered());
  EXPECT_EQ(coordinator_.exits()[0].logs(), "/data/logs/job-1/0");
}

TEST_F(ExecTest, OnceAMember_TheCommandMakesItsWorkers) {
  coordinator_.Give(assignment_);
  EXPECT_EQ(Run(absl::StrCat("echo $PET_NODE_RANK ${RANK-none} >> ", out_, "/out"), true), 0);
  EXPECT_EQ(Read("out"), "1 none\n");
}

TEST_F(ExecTest, OneWorkerFails_TheOthersAreStoppedAndItsCodeIsOurs) {
  coordinator_.Give(assignment_);
  EXPECT_EQ(Run("if [ $LOCAL_RANK = 0 ]; then exit 7; fi; sleep 600"), 7);
  ASSERT_EQ(coordinator_.exits().size(), 1u);
  EXPECT_EQ(coordinator_.exits()[0].exit_code(), 7);
}

TEST_F(ExecTest, WorkerThatIgnoresTheTermSignal_IsKilledAfterTheGrace) {
  coordinator_.Give(assignment_);
  EXPECT_EQ(Run("if [ $LOCAL_RANK = 0 ]; then exit 7; fi; trap '' TERM; while :; do sleep 1; done"), 7);
}

TEST_F(ExecTest, EpochOver_CommandIsStoppedAndStartedAnewWithTheNextRank) {
  coordinator_.Give(assignment_);
  v1::Assignment second = assignment_;
  second.set_epoch(2);
  coordinator_.Give(second);
  // The first epoch's command runs until it is stopped; the second's ends by itself.
  coordinator_.Order(v1::WatchGangResponse::STOP_AND_REJOIN, out_ + "/ready");
  EXPECT_EQ(Run(absl::StrCat("echo $MUSTER_EPOCH >> ", out_,
                             "/$LOCAL_RANK; [ $MUSTER_EPOCH = 2 ] && exit; [ $LOCAL_RANK = 1 ] || touch ", out_,
                             "/ready; sleep 600")),
            0);
  EXPECT_EQ(Read("0"), "1\n2\n");
  const auto exits = coordinator_.exits();
  ASSERT_EQ(exits.size(), 2u);
  EXPECT_TRUE(exits[0].ordered());
  EXPECT_EQ(exits[0].epoch(), 1);
  EXPECT_FALSE(exits[1].ordered());
  EXPECT_EQ(exits[1].epoch(), 2);
  // It says which answer has reached it, so that one that is lost holds nobody up.
  EXPECT_EQ(coordinator_.last_epochs(), (std::vector<int64_t>{0, 1}));
}

TEST_F(ExecTest, JobCancelled_CommandIsStoppedAndTheCodeSaysDoNotRequeue) {
  coordinator_.Give(assignment_);
  coordinator_.Order(v1::WatchGangResponse::STOP_AND_LEAVE, out_ + "/ready");
  EXPECT_EQ(Run(absl::StrCat("touch ", out_, "/ready; sleep 600")), kExitDoNotRequeue);
  ASSERT_EQ(coordinator_.exits().size(), 1u);
  EXPECT_TRUE(coordinator_.exits()[0].ordered());
}

TEST_F(ExecTest, OrdersOfALowerTerm_ChangeNothingAndAreAskedForMoreAndMoreSeldom) {
  coordinator_.Give(assignment_);
  coordinator_.BeOfThePast(5, out_ + "/go");
  EXPECT_EQ(Run(absl::StrCat("until [ -e ", out_, "/go ]; do sleep 0.05; done")), 0);
  const std::vector<absl::Time> asked = coordinator_.past();
  ASSERT_GE(asked.size(), 5u);
  EXPECT_GT(asked[4] - asked[3], absl::Milliseconds(600));
  EXPECT_LE(asked.size(), 6u);
}

TEST_F(ExecTest, RefusedForGood_NothingIsStarted) {
  EXPECT_EQ(Run(absl::StrCat("touch ", out_, "/started")), kExitDoNotRequeue);
  EXPECT_FALSE(std::filesystem::exists(out_ + "/started"));
}

TEST_F(ExecTest, NoSuchProgram_IsToldAndReported) {
  coordinator_.Give(assignment_);
  ExecOptions options;
  options.server = coordinator_.address;
  options.job.set_name("j");
  options.quiet = true;
  options.command = {"no-such-program-anywhere"};
  EXPECT_EQ(Exec(options), 127);
  ASSERT_EQ(coordinator_.exits().size(), 1u);
  EXPECT_EQ(coordinator_.exits()[0].exit_code(), 127);
}

TEST_F(ExecTest, TermSignal_ReachesTheCommand) {
  coordinator_.Give(assignment_);
  std::thread sender([&] {
    while (!std::filesystem::exists(out_ + "/ready0") || !std::filesystem::exists(out_ + "/ready1"))
      std::this_thread::yield();
    kill(getpid(), SIGTERM);
  });
  EXPECT_EQ(Run(absl::StrCat("trap 'echo told > ", out_, "/told$LOCAL_RANK; exit 3' TERM; touch ", out_,
                             "/ready$LOCAL_RANK; while :; do sleep 0.01; done")),
            3);
  sender.join();
  EXPECT_EQ(Read("told0"), "told\n");
  EXPECT_EQ(Read("told1"), "told\n");
}

}  // namespace
}  // namespace muster::worker

int main(int argc, char** argv) {
  muster::worker::BecomeIfExecChild(argc, argv);
  // As in `muster exec`: blocked before any thread exists, so that they reach the one that waits for them.
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGRTMIN}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
