#include "client/agent/run_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "absl/time/clock.h"
#include "client/agent/fake_coordinator.h"
#include "client/agent/simulated_backend.h"
#include "client/key_value/key_value_client.h"
#include "client/rpc/channel.h"

namespace muster::agent {
namespace {

void AddStep(v1::TestPlan& plan, const std::string& family, std::vector<int64_t> ranks) {
  v1::TestStep* step = plan.add_steps();
  step->set_index(plan.steps_size() - 1);
  step->set_family(family);
  step->set_collective(v1::ALL_GATHER);
  step->set_bytes(4096);
  step->set_iterations(2);
  step->mutable_deadline()->set_seconds(20);
  for (int64_t rank : ranks) step->add_groups()->mutable_ranks()->add_members(rank);
}

v1::TestGroup& GroupOf(v1::TestPlan& plan, int step) { return *plan.mutable_steps(step)->mutable_groups(0); }

ChildOrder OrderOf(int64_t rank) {
  ChildOrder order;
  v1::TestPlan& plan = *order.mutable_plan();
  for (const char* family : {"tp", "tp", "dp"}) {
    AddStep(plan, family, {0});
    GroupOf(plan, plan.steps_size() - 1).mutable_ranks()->add_members(1);
  }
  AddStep(plan, "pp", {1});
  GroupOf(plan, 3).mutable_ranks()->add_members(2);
  order.mutable_worker()->set_global_rank(rank);
  return order;
}

v1::Scope ScopeOfTest() {
  v1::Scope scope;
  scope.set_test_id("test-1");
  scope.set_round(1);
  return scope;
}

// Breaks in the first step of the family tp.
class BreakingBackend : public Backend {
 public:
  explicit BreakingBackend(int64_t rank) : inner_(MakeSimulatedBackend(rank == 0 ? "a" : "b", Faults(), 1)) {}

  absl::StatusOr<std::unique_ptr<OpenGroup>> Open(const GroupSpec& group, KeyValueClient& exchange,
                                                  absl::Time deadline) override {
    if (group.family == "tp") return std::unique_ptr<OpenGroup>(std::make_unique<Broken>());
    return inner_->Open(group, exchange, deadline);
  }

 private:
  class Broken : public OpenGroup {
   public:
    absl::StatusOr<Measurement> Run(const v1::TestStep&, const selftest::Payload&, absl::Time) override {
      return absl::UnavailableError("Connection reset by peer");
    }
    void Abort() override {}
  };
  std::unique_ptr<Backend> inner_;
};

TEST(RunPlan, BrokenGroup_IsNotUsedAgainAndOthersGoOn) {
  FakeCoordinator coordinator;
  KeyValueClient exchange(Connect(coordinator.address()), ScopeOfTest());
  std::map<int64_t, std::vector<v1::StepResult>> results;
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  const auto run = [&](int64_t rank, std::vector<v1::StepResult>& out) {
    BreakingBackend backend(rank);
    ChildOrder order = OrderOf(rank);
    order.mutable_plan()->mutable_steps()->RemoveLast();
    RunPlan(order, backend, exchange, deadline, [&](const v1::StepResult& r) { out.push_back(r); });
  };
  std::vector<v1::StepResult>&zero = results[0], &one = results[1];
  std::thread other([&] { run(1, one); });
  run(0, zero);
  other.join();
  for (const auto& [rank, all] : results) {
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].error(), "Connection reset by peer");
    EXPECT_EQ(all[1].error(), "not run: the group broke in step 0");
    EXPECT_EQ(all[2].error(), "");
    EXPECT_EQ(all[2].iteration_us_size(), 2);
    EXPECT_EQ(all[2].global_rank(), rank);
  }
}

TEST(RunPlan, PeersThatNeverCome_AreAnErrorAtTheStepsDeadline) {
  FakeCoordinator coordinator;
  KeyValueClient exchange(Connect(coordinator.address()), ScopeOfTest());
  const auto backend = MakeSimulatedBackend("a", Faults(), 1);
  ChildOrder order = OrderOf(0);
  order.mutable_plan()->mutable_steps()->DeleteSubrange(1, 3);
  order.mutable_plan()->mutable_steps(0)->mutable_deadline()->set_seconds(0);
  std::vector<v1::StepResult> results;
  RunPlan(order, *backend, exchange, absl::Now() + absl::Seconds(20),
          [&](const v1::StepResult& r) { results.push_back(r); });
  ASSERT_EQ(results.size(), 1u);
  EXPECT_NE(results[0].error(), "");
}

TEST(RunPlan, HostileSteps_AreErrorsOfTheStep) {
  FakeCoordinator coordinator;
  KeyValueClient exchange(Connect(coordinator.address()), ScopeOfTest());
  const auto backend = MakeSimulatedBackend("a", Faults(), 1);
  ChildOrder order = OrderOf(0);
  order.mutable_plan()->mutable_steps()->DeleteSubrange(1, 3);
  for (const int64_t bytes : {int64_t{-8}, int64_t{0}, int64_t{7}, INT64_MAX}) {
    order.mutable_plan()->mutable_steps(0)->set_bytes(bytes);
    std::vector<v1::StepResult> results;
    RunPlan(order, *backend, exchange, absl::Now() + absl::Seconds(20),
            [&](const v1::StepResult& r) { results.push_back(r); });
    ASSERT_EQ(results.size(), 1u);
    EXPECT_NE(results[0].error(), "") << bytes;
  }
}

}  // namespace
}  // namespace muster::agent
