// What must always hold, whatever happens.

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/gang/walk_world.h"
#include "proto/muster/v1/assignment.pb.h"

namespace muster::gang {
void World::Do(const Event& event) {
  const Gang before = h.gang;
  if (const auto* call = std::get_if<MemberCalled>(&event); call && h.phase() != v1::FINISHED) {
    if (call->index.value() >= 0 && call->index.value() < kWorldMembers && !call->local_rank &&
        !IsStranger(call->incarnation)) {
      Incarnation& greatest = greatest_[call->index];
      greatest = std::max(greatest, call->incarnation);
      called_.push_back(*call);
    }
  }
  if (const auto* bound = std::get_if<PodBound>(&event); bound && h.phase() != v1::FINISHED) {
    Incarnation& greatest = greatest_[bound->index];
    if (greatest.uid != bound->incarnation.uid) greatest = std::max(greatest, bound->incarnation);
  }
  const Change change = h.Do(event);
  absl::StrAppend(&trace_, event.index(), " ");
  for (const v1::Phase phase : change.phases) absl::StrAppend(&trace_, v1::Phase_Name(phase), " ");
  for (const auto& [node, task] : Orders(h.gang)) {
    if (sent_.size() < 400 || Roll(4) == 0) sent_.emplace_back(node, task);
  }
  for (const auto& quarantine : change.quarantines) bad_.insert(NodeOf(quarantine.node));
  Check(before, event, change);
}

void World::Check(const Gang& before, const Event& event, const Change& change) {
  for (const v1::Phase phase : change.phases) CheckEntered(before, phase);
  CheckHeld();
  CheckOrders();
  CheckAnswers();
  const bool settled = h.phase() == v1::QUEUED || h.phase() == v1::AWAITING || h.phase() == v1::FINISHED;
  const auto* stopping = std::get_if<Stopping>(&h.gang.state);
  if (settled || (stopping != nullptr && stopping->next != Next::kPlaced)) {
    for (int node = 0; node < kWorldNodes; ++node) EXPECT_NE(h.Use(node), "assigned") << "a stopped gang holds nothing";
  }
  if (h.gang.cancelled) {
    EXPECT_TRUE(h.phase() == v1::FINISHED || (stopping != nullptr && stopping->next == Next::kFinished));
    const v1::Result result = stopping != nullptr ? stopping->result : h.As<Finished>().result;
    EXPECT_EQ(result, v1::RESULT_CANCELLED);
  }
  if (stopping != nullptr && std::holds_alternative<Stopping>(before.state) && change.phases.size() <= 1) {
    EXPECT_GE(stopping->next, std::get<Stopping>(before.state).next) << "next only moves later";
  }
  EXPECT_LE(h.gang.tries, 4);
  EXPECT_LE(h.gang.restarts, 4);
  if (std::holds_alternative<TimePassed>(event)) {
    EXPECT_GT(NextDeadline(h.gang), h.now) << "time alone can't stand still";
  }
}

// No node is given on while anything of this job that Muster has to end still runs there.
void World::CheckHeld() {
  for (const auto& [uid, agent] : agents_) {
    if (!agent.running.empty()) {
      EXPECT_NE(h.Use(NodeOf(uid)), "") << "children live on " << uid;
    }
  }
  if (options_.source != v1::PlacementSpec::MUSTER) return;
  for (const Client& client : clients_) {
    if (client.alive && !client.by_agent && client.epoch.value() > 0) {
      EXPECT_NE(h.Use(client.node), "") << "member " << client.index << " runs epoch " << client.epoch;
    }
  }
}

void World::CheckEntered(const Gang& before, v1::Phase phase) {
  if (phase == v1::TESTING && !std::holds_alternative<Testing>(before.state)) {
    for (const Seats::Node& node : h.gang.seats->nodes()) {
      EXPECT_TRUE(agents_[node.uid].running.empty()) << "tested beside children of before on " << node.name;
      if (options_.source != v1::PlacementSpec::MUSTER) continue;
      for (const Client& client : clients_) {
        const bool beside = client.alive && client.epoch.value() > 0 && Name(client.node) == node.name;
        EXPECT_FALSE(beside) << "tested beside member " << client.index << " of epoch " << client.epoch;
      }
    }
  }
  if (phase != v1::RUNNING || h.phase() != v1::RUNNING) return;
  const Released& released = *h.As<Running>().released;
  EXPECT_EQ(released.epoch.value(), before.epoch.value() + 1);
  std::set<int32_t> ranks;
  for (const auto& [index, bound] : released.members) {
    v1::Assignment assignment;
    ASSERT_TRUE(assignment.ParseFromString(bound.assignment));
    EXPECT_TRUE(bound.incarnation == greatest_[index]) << "a superseded start was released";
    EXPECT_EQ(assignment.placement_digest(), released.placement->digest());
    EXPECT_EQ(assignment.node(), released.placement->ranks(assignment.node_rank()).node());
    ranks.insert(assignment.node_rank());
    if (h.gang.waived) continue;
    const auto pass = passes_.find(assignment.receipt_id());
    ASSERT_NE(pass, passes_.end()) << "released on a pass that is void: " << assignment.receipt_id();
    EXPECT_EQ(pass->second, assignment.placement_digest());
  }
  EXPECT_EQ(ranks.size(), static_cast<size_t>(kWorldMembers));
  EXPECT_EQ(*ranks.rbegin(), kWorldMembers - 1);
}

// One number is one order a node, and numbers only grow.
void World::CheckOrders() {
  for (const auto& [node, task] : Orders(h.gang)) {
    auto& [number, bytes] = ordered_[node];
    EXPECT_GE(task.mark().number(), number) << "an order from the past to " << node;
    std::string now;
    task.SerializeToString(&now);
    if (task.mark().number() == number) {
      EXPECT_EQ(now, bytes) << "two orders of one number to " << node;
    }
    number = task.mark().number();
    bytes = std::move(now);
  }
}

// The superseded are told at once and for ever; ranks only in Running.
void World::CheckAnswers() {
  for (const Client& client : clients_) {
    const auto greatest = greatest_.find(PodIndex(client.index));
    if (greatest == greatest_.end() || h.phase() == v1::FINISHED) continue;
    const Answer answer = h.Ask(client.index, client.incarnation, client.node);
    if (IsStranger(client.incarnation)) {
      EXPECT_TRUE(answer.outcome == v1::BAD_REQUEST || answer.outcome == v1::CANCELLED ||
                  answer.outcome == v1::JOB_FINISHED)
          << v1::Outcome_Name(answer.outcome);
      continue;
    }
    if (client.incarnation < greatest->second) {
      EXPECT_EQ(answer.outcome, v1::SUPERSEDED) << "member " << client.index;
    }
    if (answer.outcome == v1::READY) {
      EXPECT_EQ(h.phase(), v1::RUNNING);
    }
  }
}

}  // namespace muster::gang
