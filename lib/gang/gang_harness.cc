#include "lib/gang/gang_harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/gang/new_gang.h"
#include "lib/gang/record.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {

Incarnation OnHost(int64_t ordinal) {
  return {.restart_attempt = 0, .created = absl::UnixEpoch(), .uid = "", .ordinal = ordinal};
}

Incarnation InPod(int64_t restart_attempt, int64_t created, const std::string& uid, int64_t ordinal) {
  return {
      .restart_attempt = restart_attempt, .created = absl::FromUnixSeconds(created), .uid = uid, .ordinal = ordinal};
}

PlacementPtr PlacementOn(const std::vector<int>& nodes, const std::vector<int>& pod_indexes) {
  auto placement = std::make_shared<v1::Placement>();
  for (size_t rank = 0; rank < nodes.size(); ++rank) {
    v1::PlacedNode* placed = placement->add_ranks();
    placed->set_node(Name(nodes[rank]));
    placed->set_node_uid(Uid(nodes[rank]).value());
    placed->set_pod_index(pod_indexes.empty() ? -1 : pod_indexes[rank]);
  }
  placement->set_digest(absl::StrCat("digest-", absl::StrJoin(nodes, "-")));
  return placement;
}

bool IsLegal(v1::Phase from, v1::Phase to) {
  static const std::map<v1::Phase, std::set<v1::Phase>> kTable = {
      {v1::QUEUED, {v1::PLACED, v1::FINISHED}},
      {v1::AWAITING, {v1::PLACED, v1::FINISHED}},
      {v1::PLACED, {v1::TESTING, v1::ASSEMBLING, v1::STOPPING}},
      {v1::TESTING, {v1::TESTING, v1::ASSEMBLING, v1::REPAIRING, v1::STOPPING}},
      {v1::ASSEMBLING, {v1::RUNNING, v1::REPAIRING, v1::STOPPING}},
      {v1::RUNNING, {v1::REPAIRING, v1::STOPPING}},
      {v1::REPAIRING, {v1::TESTING, v1::ASSEMBLING, v1::STOPPING}},
      {v1::STOPPING, {v1::STOPPING, v1::PLACED, v1::QUEUED, v1::AWAITING, v1::FINISHED}},
      {v1::FINISHED, {v1::AWAITING}},
  };
  return kTable.at(from).contains(to);
}

Harness::Harness(HarnessOptions options) {
  auto spec = std::make_shared<v1::JobSpec>();
  spec->set_members(options.members);
  spec->set_workers_per_member(options.workers);
  spec->mutable_placement()->set_source(options.source);
  spec->mutable_placement()->set_rank_by(options.rank_by);
  spec->mutable_launch()->set_kind(options.launch);
  spec->mutable_launch()->add_command("train");
  if (options.waived) spec->mutable_self_test()->set_profile(v1::SelfTestSpec::NONE);
  *spec->mutable_limits() = options.limits;
  Submission submission;
  submission.uid = JobUid("job-1");
  submission.ns = "default";
  submission.name = "j";
  submission.spec = spec;
  if (options.owned) submission.owner.set_kind("JobSet");
  gang = NewGang(std::move(submission), now);
}

void Harness::Check(const Gang& before, const std::string& record_before, const Change& change) {
  v1::Phase from = PhaseOf(before.state);
  for (const v1::Phase to : change.phases) {
    EXPECT_TRUE(IsLegal(from, to)) << v1::Phase_Name(from) << " -> " << v1::Phase_Name(to);
    from = to;
  }
  EXPECT_EQ(from, phase());
  const std::string record = ToRecord(gang);
  EXPECT_EQ(change.durable, record != record_before) << "durable exactly when the record differs";
  const auto read = FromRecord(record);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(ToRecord(*read), record) << "a record read back gives the same record";
  EXPECT_GE(gang.epoch, before.epoch);
  EXPECT_GE(gang.attempt, before.attempt);
  EXPECT_GE(gang.order, before.order);
  EXPECT_GE(gang.revision, before.revision);
  EXPECT_TRUE(gang.cancelled || !before.cancelled);
  EXPECT_FALSE(gang.why.empty());
  EXPECT_FALSE(WhyNow(gang).empty());
  for (const auto& [index, member] : before.members) {
    if (!member.incarnation) continue;
    EXPECT_TRUE(*gang.members.at(index).incarnation >= *member.incarnation) << "member " << index;
  }
  for (const auto& [node, task] : Orders(gang)) EXPECT_LE(task.mark().number(), gang.order.value());
  CheckReleased();
}

void Harness::CheckReleased() {
  const auto* running = std::get_if<Running>(&gang.state);
  if (running == nullptr) return;
  const Released& released = *running->released;
  EXPECT_EQ(released.epoch, gang.epoch);
  std::set<NodeRank> ranks;
  for (const auto& [index, bound] : released.members) {
    EXPECT_TRUE(ranks.insert(bound.rank).second) << "node rank " << bound.rank << " twice";
    std::string bytes = bound.assignment;
    for (const auto& [local, worker] : bound.workers) bytes += worker.second;
    const auto [it, first] = handed_out_.emplace(std::pair(released.epoch, index), bytes);
    EXPECT_EQ(it->second, bytes) << "other bytes for member " << index << " in epoch " << released.epoch;
  }
  EXPECT_EQ(static_cast<int32_t>(ranks.size()), gang.spec->members());
}

Change Harness::Do(const Event& event) {
  const Gang before = gang;
  const std::string record = ToRecord(gang);
  const Change change = Step(gang, event, now);
  Check(before, record, change);
  return change;
}

Change Harness::Pass(absl::Duration duration) {
  now += duration;
  return Do(TimePassed{});
}

void Harness::Place(const std::vector<int>& nodes) { Do(PlacementFound{PlacementOn(nodes)}); }

void Harness::PlanTest() {
  ASSERT_TRUE(WantsTestPlan(gang)) << Describe(gang);
  auto plan = std::make_shared<v1::TestPlan>();
  plan->set_test_id(absl::StrCat("t", gang.order.value() + 1));
  plan->set_round(1);
  plan->set_placement_digest(PlacementOf(gang.state)->digest());
  Do(TestPlanned{TestId(plan->test_id()), plan});
}

void Harness::Conclude(TestConcluded::Outcome outcome, std::set<NodeUid> accused) {
  Do(TestConcluded{.test = As<Testing>().test,
                   .outcome = outcome,
                   .accused = std::move(accused),
                   .receipt = ReceiptId("rcp-" + As<Testing>().test.value()),
                   .why = "dp 1.2 GB/s, siblings 9.8"});
}

void Harness::ConfirmAll() {
  for (const auto& [node, task] : Orders(gang)) {
    if (!task.has_stop() && !task.has_run_test()) continue;
    Do(EndConfirmed{.node = node, .number = OrderNumber(task.mark().number())});
  }
}

Change Harness::Confirm(int node, OrderNumber number, EndConfirmed::By by) {
  return Do(EndConfirmed{.node = Uid(node), .number = number, .by = by});
}

void Harness::ToTesting(const std::vector<int>& nodes) {
  Place(nodes);
  PlanTest();
  ASSERT_EQ(phase(), v1::TESTING) << Describe(gang);
}

void Harness::ToAssembling(const std::vector<int>& nodes) {
  ToTesting(nodes);
  Conclude(TestConcluded::Outcome::kPassed);
  ConfirmAll();
  ASSERT_EQ(phase(), v1::ASSEMBLING) << Describe(gang);
}

void Harness::ToRunning(const std::vector<int>& nodes, int64_t ordinal) {
  if (phase() != v1::ASSEMBLING) ToAssembling(nodes);
  const bool agents = gang.spec->launch().kind() == v1::LaunchSpec::AGENT;
  const Incarnation incarnation = agents ? StartedIncarnation(gang, As<Assembling>().started) : OnHost(ordinal);
  for (size_t i = 0; i < nodes.size(); ++i) Call(static_cast<int>(i), incarnation, nodes[i]);
  ASSERT_EQ(phase(), v1::RUNNING) << Describe(gang);
}

Answer Harness::Call(int index, const Incarnation& incarnation, int node, std::optional<int32_t> local_rank) {
  Do(MemberCalled{.index = PodIndex(index),
                  .incarnation = incarnation,
                  .local_rank = local_rank,
                  .node = Name(node),
                  .address = "10.0.0." + std::to_string(node),
                  .reserved_port = 20000 + index});
  return Ask(index, incarnation, node, local_rank);
}

Answer Harness::Ask(int index, const Incarnation& incarnation, int node, std::optional<int32_t> local_rank) {
  return AnswerTo(gang, {PodIndex(index), incarnation, local_rank, Name(node)});
}

Change Harness::Exit(int index, int code, bool ordered) {
  return Do(CommandEnded{.index = PodIndex(index),
                         .incarnation = *gang.members.at(PodIndex(index)).incarnation,
                         .local_rank = std::nullopt,
                         .epoch = gang.epoch,
                         .exit_code = code,
                         .ordered = ordered});
}

std::string Harness::Use(int node) const {
  const auto holds = Holds(gang);
  const auto use = holds.find(Uid(node));
  if (use == holds.end()) return "";
  return use->second == v1::ASSIGNED ? "assigned" : "stopping";
}

std::string Harness::Order(int node) const {
  const auto orders = Orders(gang);
  const auto order = orders.find(Uid(node));
  if (order == orders.end()) return "";
  if (order->second.has_run_test()) return "test";
  if (order->second.has_start_members()) return "start";
  return order->second.has_stop() ? "stop" : "forget";
}

OrderNumber Harness::OrderNumberOf(int node) const {
  const auto orders = Orders(gang);
  const auto order = orders.find(Uid(node));
  return order == orders.end() ? OrderNumber() : OrderNumber(order->second.mark().number());
}

std::string Harness::Bytes(int index) const {
  const auto* running = std::get_if<Running>(&gang.state);
  return running == nullptr ? "" : running->released->members.at(PodIndex(index)).assignment;
}

void Harness::Restart() {
  auto read = FromRecord(ToRecord(gang));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  gang = *std::move(read);
  Do(CoordinatorRestarted{});
}

std::string Describe(const Gang& gang) {
  std::string text = absl::StrCat(v1::Phase_Name(PhaseOf(gang.state)), ": ", WhyNow(gang), " [epoch ",
                                  gang.epoch.value(), " attempt ", gang.attempt.value(), " order ", gang.order.value(),
                                  " tries ", gang.tries, " restarts ", gang.restarts, "]");
  for (const auto& [node, use] : Holds(gang)) absl::StrAppend(&text, " ", node.value(), ":", v1::NodeUse_Name(use));
  return text;
}

}  // namespace muster::gang
