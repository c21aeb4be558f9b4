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
#include "lib/mesh/digits.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/matchings.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/schedule.h"
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

// Widest groups that no axis asks for, as TCP's full mesh of a group grows with its square.
constexpr int kWidestRail = 64;
constexpr int64_t kWidestWorld = 128;

class Planner {
 public:
  explicit Planner(const Setting& setting) : setting_(setting), parties_(setting), ladder_(LadderOf(setting.spec)) {
    for (const v1::GroupResult& g : setting.carried) {
      carried_.emplace(g.family(), g.collective(), g.bytes(), g.group_index());
    }
  }

  v1::TestPlan Make() && {
    if (setting_.mesh == nullptr) {
      AddWorld();
    } else {
      for (const FamilyTraffic& traffic : TrafficOf(*setting_.mesh)) AddFamily(traffic);
    }
    // After the job's own, so that those keep their names where groups are equal.
    AddGroups(kNodeFamily, {v1::ALL_REDUCE}, NodeGroups(parties_));
    if (parties_.size() > 2) AddGroups(kRailFamily, {v1::ALL_GATHER}, RailGroups(parties_, kWidestRail));
    AddPairs();
    return Finish();
  }

 private:
  void AddFamily(const FamilyTraffic& traffic) {
    const mesh::Family& family = *traffic.family;
    std::vector<v1::TestGroup> groups;
    for (int64_t i = 0; i < family.count(); ++i) {
      mesh::Group group = family.group(i);
      if (group.size() < 2) continue;
      // Joined: groups of other families with these members are then written alike.
      if (group.order == nullptr) group.digits = mesh::Joined(group.digits);
      v1::TestGroup message;
      message.set_index(i);
      *message.mutable_ranks() = ToMessage(group);
      groups.push_back(std::move(message));
    }
    AddGroups(std::string(family.name().data(), family.name().size()), traffic.collectives, groups);
    const auto& collectives = traffic.collectives;
    if (std::find(collectives.begin(), collectives.end(), v1::SEND_RECV) == collectives.end()) return;
    if (family.max_size() < 3) return;
    for (bool odd : {false, true}) AddGroups(kNeighbourFamily, {v1::SEND_RECV}, NeighbourGroups(family, odd));
  }

  void AddWorld() {
    if (setting_.world < 2 || setting_.world > kWidestWorld) return;
    v1::TestGroup group;
    group.mutable_ranks()->add_strides(1);
    group.mutable_ranks()->add_sizes(setting_.world);
    AddGroups("world", {v1::ALL_REDUCE, v1::RING_SEND_RECV}, {group});
  }

  void AddPairs() {
    for (int round = 0; round < ScreenMatchings(parties_.size()); ++round) {
      PairStep pairs;
      for (const auto& [a, b] : Matching(parties_.size(), round)) pairs.push_back({a, b});
      const std::vector<v1::TestGroup> groups = PairGroups(parties_, pairs);
      if (!groups.empty()) AddStep(kPairFamily, v1::SEND_RECV, RoundedBytes(ladder_.pair_bytes, 2), groups);
    }
  }

  // A short last block has another payload than its siblings: a step has one size of group.
  void AddGroups(const std::string& family, const std::vector<v1::Collective>& collectives,
                 const std::vector<v1::TestGroup>& groups) {
    std::map<int64_t, std::vector<v1::TestGroup>, std::greater<>> by_size;
    for (const v1::TestGroup& group : groups) by_size[SizeOf(group.ranks())].push_back(group);
    for (const auto& [size, equal] : by_size) {
      for (v1::Collective collective : collectives) {
        if (!Fresh(collective, equal)) continue;
        for (int64_t wanted : ladder_.bytes) AddStep(family, collective, RoundedBytes(wanted, size), equal);
      }
    }
  }

  static int64_t SizeOf(const v1::StridedGroup& group) {
    int64_t size = 1;
    for (int64_t digit : group.sizes()) size *= digit;
    return group.members().empty() ? size : group.members_size();
  }

  // Whether no step has this collective on the same groups.
  bool Fresh(v1::Collective collective, const std::vector<v1::TestGroup>& groups) {
    std::set<std::string> ranks;
    for (const v1::TestGroup& group : groups) ranks.insert(group.ranks().SerializeAsString());
    return seen_.emplace(collective, std::move(ranks)).second;
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
    *plan_.add_steps() = std::move(step);
  }

  v1::TestPlan Finish() {
    plan_.set_test_id(setting_.test.value());
    plan_.set_round(1);
    plan_.set_placement_digest(setting_.placement->digest());
    plan_.set_backend(BackendOf(setting_.spec));
    plan_.set_seed(setting_.seed);
    *plan_.mutable_deadline() = ToProto(RoundDeadlineOf(setting_.spec));
    for (v1::TestStep& step : *plan_.mutable_steps()) {
      *step.mutable_budget() = ToProto(ladder_.traffic / plan_.steps_size());
    }
    Schedule(plan_);
    *plan_.mutable_estimate() = ToProto(EstimateOf(plan_, parties_.fabric().rails));
    return std::move(plan_);
  }

  const Setting& setting_;
  const Parties parties_;
  const Ladder ladder_;
  Carried carried_;
  std::set<std::pair<int, std::set<std::string>>> seen_;
  v1::TestPlan plan_;
};

// A plain link of a backend's kind.
struct Link {
  double rate = 0;     // bytes/s of a node's whole network
  double latency = 0;  // s an operation
  double connect = 0;  // s a member of a group
};

double SecondsOf(const v1::TestStep& step, const Link& link, int64_t workers_per_node) {
  // Every worker of a node sends and receives at once.
  const double once =
      link.latency + 2.0 * static_cast<double>(step.bytes()) * static_cast<double>(workers_per_node) / link.rate;
  double timed = once * step.iterations();
  const double budget = absl::ToDoubleSeconds(FromProto(step.budget()));
  if (budget > 0) timed = std::min(timed, std::max(budget, once * std::min(step.iterations(), kFewestIterations)));
  return once * (step.warmups() + 1) + timed;
}

}  // namespace

void AddPairStep(const Setting& setting, const std::string& family, const std::vector<v1::TestGroup>& groups,
                 v1::TestPlan& plan) {
  if (groups.empty()) return;
  const Ladder ladder = LadderOf(setting.spec);
  v1::TestStep& step = *plan.add_steps();
  step.set_index(plan.steps_size() - 1);
  step.set_family(family);
  step.set_collective(v1::SEND_RECV);
  step.set_bytes(RoundedBytes(ladder.pair_bytes, 2));
  step.set_warmups(ladder.warmups);
  step.set_iterations(ladder.iterations);
  *step.mutable_budget() = ToProto(ladder.traffic / 8);
  for (const v1::TestGroup& group : groups) *step.add_groups() = group;
}

absl::Duration EstimateOf(const v1::TestPlan& plan, int64_t workers_per_node) {
  Link link;
  if (plan.backend() == "gloo") link = {1e9, 200e-6, 5e-3};
  if (plan.backend() == "nccl") link = {160e9, 50e-6, 5e-3};
  if (link.rate == 0) return absl::ZeroDuration();
  double seconds = 0;
  std::string connected;  // steps of one family follow each other on the same groups
  for (const v1::TestStep& step : plan.steps()) {
    seconds += SecondsOf(step, link, std::max<int64_t>(workers_per_node, 1));
    if (step.family() == connected || step.groups().empty()) continue;
    connected = step.family();
    const v1::StridedGroup& ranks = step.groups(0).ranks();
    double size = std::max(ranks.members_size(), 1);
    for (int64_t digit : ranks.sizes()) size *= static_cast<double>(digit);
    seconds += 0.1 + link.connect * size;
  }
  return absl::Seconds(seconds);
}

absl::StatusOr<v1::TestPlan> MakePlan(const Setting& setting) {
  if (absl::Status s = Contradiction(setting); !s.ok()) return s;
  return Planner(setting).Make();
}

}  // namespace muster::selftest
