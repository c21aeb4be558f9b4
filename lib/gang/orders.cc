// The orders to agents that follow from the state.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/gang/demands.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

v1::Task NewTask(const Gang& gang, OrderNumber number) {
  v1::Task task;
  task.mutable_mark()->set_job_uid(gang.uid.value());
  task.mutable_mark()->set_number(number.value());
  task.set_job(gang.ns + "/" + gang.name);
  return task;
}

// The places in Seats::nodes() that a group's members are on, ascending. `first_rank` is the world's first global rank.
std::set<size_t> NodesOf(const v1::StridedGroup& group, const std::vector<size_t>& node_of_rank, int64_t workers) {
  std::set<size_t> nodes;
  const auto add = [&](int64_t global_rank) {
    const int64_t rank = global_rank / workers;
    if (global_rank >= 0 && rank < static_cast<int64_t>(node_of_rank.size())) nodes.insert(node_of_rank[rank]);
  };
  for (const int64_t member : group.members()) add(member);
  if (group.members_size() > 0 || group.strides_size() != group.sizes_size()) return nodes;
  const int64_t world = static_cast<int64_t>(node_of_rank.size()) * workers;
  if (group.base() < 0 || group.base() >= world) return nodes;
  int64_t size = 1;
  for (const int64_t digit : group.sizes()) {
    if (digit < 1 || digit > world / size) return nodes;  // no group is larger than the world
    size *= digit;
  }
  for (int64_t j = 0; j < size; ++j) {
    int64_t rank = group.base();
    int64_t rest = j;
    for (int d = 0; d < group.sizes_size(); ++d) {
      if (group.strides(d) < 0 || group.strides(d) > world) return nodes;
      rank += rest % group.sizes(d) * group.strides(d);
      rest /= group.sizes(d);
    }
    add(rank);
  }
  return nodes;
}

// Each node's part of the plan: its workers and every step, of its groups only those that these are in.
void AddTests(const Gang& gang, const Testing& testing, std::map<NodeUid, v1::Task>& orders) {
  const auto& nodes = gang.seats->nodes();
  const int32_t workers = std::max(gang.spec->workers_per_member(), 1);
  std::vector<size_t> node_of_rank(gang.spec->members(), 0);
  std::vector<v1::RunTest*> tests;
  v1::TestPlan head = *testing.plan;
  head.clear_steps();
  for (size_t n = 0; n < nodes.size(); ++n) {
    v1::RunTest* test = (orders[nodes[n].uid] = NewTask(gang, testing.ordered)).mutable_run_test();
    *test->mutable_plan() = head;
    test->set_world(int64_t{gang.spec->members()} * workers);
    test->set_workers_per_member(workers);
    for (const NodeRank rank : nodes[n].ranks) {
      node_of_rank[rank.value()] = n;
      for (int32_t local = 0; local < workers; ++local) {
        auto* worker = test->add_workers();
        worker->set_global_rank(int64_t{rank.value()} * workers + local);
        worker->set_local_rank(local);
        worker->set_node_rank(rank.value());
      }
    }
    tests.push_back(test);
  }
  for (const v1::TestStep& step : testing.plan->steps()) {
    v1::TestStep bare = step;
    bare.clear_groups();
    for (v1::RunTest* test : tests) *test->mutable_plan()->add_steps() = bare;
    const int last = tests.front()->plan().steps_size() - 1;
    for (const v1::TestGroup& group : step.groups()) {
      for (const size_t n : NodesOf(group.ranks(), node_of_rank, workers)) {
        *tests[n]->mutable_plan()->mutable_steps(last)->add_groups() = group;
      }
    }
  }
}

v1::Incarnation ToProto(const Incarnation& incarnation) {
  v1::Incarnation proto;
  proto.set_restart_attempt(incarnation.restart_attempt);
  proto.set_uid(incarnation.uid);
  proto.set_ordinal(incarnation.ordinal);
  return proto;
}

// Muster starts index i on the node of rank i.
void AddStarts(const Gang& gang, const Assembling& assembling, std::map<NodeUid, v1::Task>& orders) {
  const v1::LaunchSpec& launch = gang.spec->launch();
  const v1::Incarnation incarnation = ToProto(StartedIncarnation(gang, assembling.started));
  for (const Seats::Node& node : gang.seats->nodes()) {
    v1::StartMembers* start = (orders[node.uid] = NewTask(gang, assembling.started)).mutable_start_members();
    for (const NodeRank rank : node.ranks) {
      auto* member = start->add_members();
      member->set_pod_index(rank.value());
      *member->mutable_incarnation() = incarnation;
    }
    *start->mutable_command() = launch.command();
    *start->mutable_env() = launch.env();
    start->set_working_dir(launch.working_dir());
    start->set_per_member(launch.per_member());
    start->set_workers_per_member(std::max(gang.spec->workers_per_member(), 1));
  }
}

v1::Task StopTask(const Gang& gang, OrderNumber number, const std::string& why) {
  v1::Task task = NewTask(gang, number);
  task.mutable_stop()->mutable_grace()->set_seconds(absl::ToInt64Seconds(LimitsOf(*gang.spec).stop_grace));
  task.mutable_stop()->set_why(why);
  return task;
}

}  // namespace

std::map<NodeUid, v1::Task> Orders(const Gang& gang) {
  std::map<NodeUid, v1::Task> orders;
  if (const auto* testing = std::get_if<Testing>(&gang.state)) {
    AddTests(gang, *testing, orders);
  } else if (const auto* assembling = std::get_if<Assembling>(&gang.state)) {
    if (LaunchOf(gang) == v1::LaunchSpec::AGENT) AddStarts(gang, *assembling, orders);
  } else if (const auto* repairing = std::get_if<Repairing>(&gang.state)) {
    for (const auto& [node, left] : repairing->unended) {
      if (left.children) orders[node] = StopTask(gang, repairing->ordered, repairing->why);
    }
  } else if (std::holds_alternative<Finished>(gang.state)) {
    for (const NodeUid& node : gang.marked) {
      if (gang.stops.contains(node)) continue;
      (orders[node] = NewTask(gang, gang.order)).mutable_forget();
    }
  }
  for (const auto& [node, stop] : gang.stops) {
    if (stop.remains.children) orders[node] = StopTask(gang, stop.number, stop.why);
  }
  return orders;
}

}  // namespace muster::gang
