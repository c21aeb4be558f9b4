#include "lib/selftest/plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/base/proto_time.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/spec_defaults.h"
#include "lib/selftest/traffic.h"

namespace muster::selftest {
namespace {

constexpr int64_t kMaxWorld = int64_t{1} << 20;

absl::Status Contradiction(const Setting& setting) {
  if (setting.spec.profile() == v1::SelfTestSpec::NONE) {
    return FieldError("spec.selfTest.profile", "NONE has no test to plan", "release it as waived");
  }
  if (setting.world < 1 || setting.world > kMaxWorld) {
    return FieldError("spec.members", absl::StrCat(setting.world, " workers are outside 1..", kMaxWorld),
                      "test smaller jobs, or waive the test with profile: none");
  }
  const int64_t members = setting.placement == nullptr ? 0 : setting.placement->ranks_size();
  if (setting.workers_per_member < 1 || members * setting.workers_per_member != setting.world) {
    return FieldError("placement.ranks",
                      absl::StrCat(members, " node ranks of ", setting.workers_per_member, " workers are not ",
                                   setting.world, " workers"),
                      "plan for the placement of this job");
  }
  if (setting.mesh != nullptr && setting.mesh->world() != setting.world) {
    return FieldError("spec.mesh", absl::StrCat("is of ", setting.mesh->world(), " workers, not ", setting.world),
                      "plan for the mesh of this job");
  }
  return absl::OkStatus();
}

int64_t RoundedBytes(int64_t bytes, int64_t members) {
  const int64_t unit = 4 * members;
  return std::max(bytes / unit, int64_t{1}) * unit;
}

// What is carried over and so not run again.
using Carried = std::set<std::tuple<std::string, int, int64_t, int64_t>>;

class Planner {
 public:
  explicit Planner(const Setting& setting) : setting_(setting), ladder_(LadderOf(setting.spec)) {
    for (const v1::GroupResult& g : setting.carried) {
      carried_.emplace(g.family(), g.collective(), g.bytes(), g.group_index());
    }
  }

  void AddFamily(const FamilyTraffic& traffic) {
    // A short last block has another payload than its siblings: a step has one size of group.
    std::map<int64_t, std::vector<v1::TestGroup>, std::greater<>> by_size;
    const mesh::Family& family = *traffic.family;
    for (int64_t i = 0; i < family.count(); ++i) {
      const mesh::Group group = family.group(i);
      if (group.size() < 2) continue;
      v1::TestGroup message;
      message.set_index(i);
      *message.mutable_ranks() = ToMessage(group);
      by_size[group.size()].push_back(std::move(message));
    }
    const std::string name(family.name().data(), family.name().size());
    for (const auto& [size, groups] : by_size) AddSteps(name, traffic.collectives, size, groups);
  }

  void AddWorld() {
    if (setting_.world < 2) return;
    v1::TestGroup group;
    group.mutable_ranks()->add_strides(1);
    group.mutable_ranks()->add_sizes(setting_.world);
    AddSteps("world", {v1::ALL_REDUCE, v1::RING_SEND_RECV}, setting_.world, {group});
  }

  v1::TestPlan Finish() && {
    plan_.set_test_id(setting_.test.value());
    plan_.set_round(1);
    plan_.set_placement_digest(setting_.placement->digest());
    plan_.set_backend(BackendOf(setting_.spec));
    plan_.set_seed(setting_.seed);
    *plan_.mutable_deadline() = ToProto(RoundDeadlineOf(setting_.spec));
    *plan_.mutable_estimate() = ToProto(EstimateOf(plan_));
    return std::move(plan_);
  }

 private:
  void AddSteps(const std::string& family, const std::vector<v1::Collective>& collectives, int64_t size,
                const std::vector<v1::TestGroup>& groups) {
    for (v1::Collective collective : collectives) {
      for (int64_t wanted : ladder_.bytes) AddStep(family, collective, RoundedBytes(wanted, size), groups);
    }
  }

  void AddStep(const std::string& family, v1::Collective collective, int64_t bytes,
               const std::vector<v1::TestGroup>& groups) {
    v1::TestStep step;
    for (const v1::TestGroup& group : groups) {
      if (carried_.count({family, collective, bytes, group.index()}) == 0) *step.add_groups() = group;
    }
    if (step.groups().empty()) return;
    step.set_index(plan_.steps_size());
    step.set_family(family);
    step.set_collective(collective);
    step.set_bytes(bytes);
    step.set_warmups(ladder_.warmups);
    step.set_iterations(ladder_.iterations);
    *step.mutable_deadline() = ToProto(ladder_.step_deadline);
    *plan_.add_steps() = std::move(step);
  }

  const Setting& setting_;
  const Ladder ladder_;
  Carried carried_;
  v1::TestPlan plan_;
};

// Position of the step's group that `rank` is in; -1: none. A step's groups ascend by index.
int FindGroup(const Setting& setting, const v1::TestStep& step, int64_t rank) {
  int64_t index = 0;
  if (setting.mesh != nullptr) {
    const mesh::Family* family = setting.mesh->Find(step.family());
    const auto membership = family == nullptr ? absl::nullopt : family->GroupOf(rank);
    if (!membership) return -1;
    index = membership->group_index;
  }
  const auto at = std::lower_bound(step.groups().begin(), step.groups().end(), index,
                                   [](const v1::TestGroup& g, int64_t i) { return g.index() < i; });
  if (at == step.groups().end() || at->index() != index) return -1;
  return static_cast<int>(at - step.groups().begin());
}

}  // namespace

absl::Duration EstimateOf(const v1::TestPlan& plan) {
  // Bytes a worker moves, at a rate that a plain link of the backend's kind reaches with all groups at once.
  double rate = 0;  // bytes/s; 0: no traffic
  if (plan.backend() == "gloo") rate = 0.1e9;
  if (plan.backend() == "nccl") rate = 20e9;
  double bytes = 0;
  for (const v1::TestStep& step : plan.steps()) {
    bytes += 2.0 * static_cast<double>(step.bytes()) * (step.warmups() + step.iterations() + 1);
  }
  return rate == 0 ? absl::ZeroDuration() : absl::Seconds(bytes / rate);
}

absl::StatusOr<v1::TestPlan> MakePlan(const Setting& setting) {
  if (absl::Status s = Contradiction(setting); !s.ok()) return s;
  Planner planner(setting);
  if (setting.mesh == nullptr) {
    planner.AddWorld();
  } else {
    for (const FamilyTraffic& traffic : TrafficOf(*setting.mesh)) planner.AddFamily(traffic);
  }
  return std::move(planner).Finish();
}

v1::RunTest OrderOf(const Setting& setting, const v1::TestPlan& plan, const NodeUid& node) {
  v1::RunTest order;
  order.set_world(setting.world);
  order.set_workers_per_member(setting.workers_per_member);
  for (int r = 0; setting.placement != nullptr && r < setting.placement->ranks_size(); ++r) {
    if (setting.placement->ranks(r).node_uid() != node.value()) continue;
    for (int32_t local = 0; local < setting.workers_per_member; ++local) {
      v1::RunTest::Worker* worker = order.add_workers();
      worker->set_global_rank(setting.FirstRank() + int64_t{r} * setting.workers_per_member + local);
      worker->set_local_rank(local);
      worker->set_node_rank(r);
    }
  }
  v1::TestPlan& part = *order.mutable_plan();
  part.set_test_id(plan.test_id());
  part.set_round(plan.round());
  part.set_placement_digest(plan.placement_digest());
  part.set_backend(plan.backend());
  part.set_seed(plan.seed());
  *part.mutable_deadline() = plan.deadline();
  *part.mutable_estimate() = plan.estimate();
  for (const v1::TestStep& step : plan.steps()) {
    std::set<int> wanted;
    for (const v1::RunTest::Worker& worker : order.workers()) {
      if (const int at = FindGroup(setting, step, worker.global_rank()); at >= 0) wanted.insert(at);
    }
    v1::TestStep& mine = *part.add_steps();
    mine.set_index(step.index());
    mine.set_family(step.family());
    mine.set_collective(step.collective());
    mine.set_bytes(step.bytes());
    mine.set_warmups(step.warmups());
    mine.set_iterations(step.iterations());
    *mine.mutable_deadline() = step.deadline();
    for (int at : wanted) *mine.add_groups() = step.groups(at);
  }
  return order;
}

}  // namespace muster::selftest
