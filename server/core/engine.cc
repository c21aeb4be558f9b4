#include "server/core/engine.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/gang/demands.h"
#include "lib/placement/place.h"
#include "lib/queue/admit.h"
#include "lib/selftest/carry_over.h"
#include "lib/selftest/plan.h"
#include "server/core/backend_label.h"
#include "server/core/bound.h"
#include "server/core/holders.h"
#include "server/core/retest.h"
#include "server/core/times.h"

namespace muster::core {
namespace {

bool FromInventory(const Job& job) {
  const auto source = job.gang.spec->placement().source();
  return source == v1::PlacementSpec::MUSTER || source == v1::PlacementSpec::SOURCE_UNSPECIFIED;
}

// The repair of a job whose ranks have lost nodes; nullopt: it stands on nodes that the inventory doesn't know.
std::optional<queue::RepairJob> RepairOf(const Job& job, const placement::Cluster& cluster) {
  const auto& repairing = std::get<gang::Repairing>(job.gang.state);
  queue::RepairJob repair{TurnOf(job), {}};
  repair.repair.request = job.request.get();
  const int32_t per_node = job.request->members_per_node;
  for (int32_t unit = 0; unit < job.request->units; ++unit) {
    if (unit * per_node >= repairing.placement->ranks_size()) return std::nullopt;
    const v1::PlacedNode& node = repairing.placement->ranks(unit * per_node);
    const absl::optional<NodeIndex> index = cluster.topology->Find(node.node());
    if (!index) return std::nullopt;
    repair.repair.units.push_back(*index);
    if (repairing.vacated.count(NodeUid(node.node_uid())) > 0) repair.repair.vacated.push_back(unit);
  }
  for (const v1::PlacedNode& spare : repairing.placement->spares()) {
    if (const absl::optional<NodeIndex> index = cluster.topology->Find(spare.node()))
      repair.repair.spares.push_back(*index);
  }
  return repair;
}

bool SameDevices(const v1::NodeSurroundings& then, const NodeEntry& now) {
  if (then.boot_id() != now.info.boot_id()) return false;
  if (then.accelerator_uuids_size() != now.info.accelerators_size()) return false;
  for (int i = 0; i < then.accelerator_uuids_size(); ++i)
    if (then.accelerator_uuids(i) != now.info.accelerators(i).uuid()) return false;
  return true;
}

// Whether the node of that uid is now as the receipt found it.
class Unchanged {
 public:
  Unchanged(const v1::Receipt& receipt, const NodeTable& nodes) : nodes_(const_cast<NodeTable&>(nodes)) {
    for (const v1::NodeSurroundings& node : receipt.nodes()) then_[node.node_uid()] = &node;
  }
  bool operator()(const std::string& uid) const {
    const auto then = then_.find(uid);
    const NodeEntry* now = nodes_.Find(NodeUid(uid));
    return then != then_.end() && now != nullptr && SameDevices(*then->second, *now);
  }

 private:
  NodeTable& nodes_;
  std::map<std::string, const v1::NodeSurroundings*> then_;
};

// "nccl" where every node has accelerators and an agent that offers it, else "gloo".
std::string DefaultBackend(const NodeTable& const_nodes, const v1::Placement& placement) {
  auto& nodes = const_cast<NodeTable&>(const_nodes);
  for (const v1::PlacedNode& rank : placement.ranks()) {
    const NodeEntry* node = nodes.Find(NodeUid(rank.node_uid()));
    if (node == nullptr || node->info.accelerators_size() == 0 || node->info.accelerators(0).kind() == "cpu")
      return "gloo";
    const auto& offered = node->info.backends();
    if (std::find(offered.begin(), offered.end(), "nccl") == offered.end()) return "gloo";
  }
  return "nccl";
}

// Why the job can't be tested on what there is: too few agents offer the backend that it asks for. Empty: it can.
std::string LacksBackend(const Job& job, const NodeTable& nodes) {
  const v1::SelfTestSpec& test = job.gang.spec->self_test();
  if (test.backend().empty() || test.profile() == v1::SelfTestSpec::NONE) return "";
  int32_t offering = 0, all = 0;
  for (const auto& [name, node] : nodes.by_name()) {
    const auto& backends = node->info.backends();
    ++all;
    offering += std::find(backends.begin(), backends.end(), test.backend()) != backends.end();
  }
  // Too few nodes are placement's to say.
  if (all < job.request->units || offering >= job.request->units) return "";
  return absl::StrCat("spec.selfTest.backend: ", offering == 0 ? "no agent offers" : "too few agents offer", " ",
                      test.backend(), " (", offering, " of ", all, " nodes, ", job.request->units,
                      " are needed); leave it out, or start agents that have it");
}

}  // namespace

placement::Cluster Engine::ClusterOf(const NodeTable& nodes, JobTable& jobs) {
  if (!cluster_ || version_ != nodes.facts_version()) {
    std::vector<v1::Node> views;
    views.reserve(nodes.size());
    for (const auto& [name, node] : nodes.by_name()) *views.emplace_back().mutable_info() = node->info;
    for (size_t i = 0; const auto& [name, node] : nodes.by_name()) {
      v1::NodeInfo& info = *views[i++].mutable_info();
      info.set_uid(node->uid.value());
      for (const std::string& backend : node->info.backends())
        (*info.mutable_labels())[BackendLabel(backend)] = kHasBackend;
    }
    absl::StatusOr<placement::Cluster> made = placement::MakeCluster(nodes.tiers(), views);
    // Names and labels were checked when the nodes registered.
    cluster_ = made.ok() ? *std::move(made) : placement::Cluster();
    version_ = nodes.facts_version();
  }
  size_t i = 0;
  for (const auto& [name, node] : nodes.by_name()) {
    if (i >= cluster_->states.size()) break;
    placement::NodeState& state = cluster_->states[i++];
    state.free = node->users.empty();
    state.ok = node->ok();
    state.holder.clear();
    if (!state.free) {
      if (const Job* job = jobs.Find(node->users.begin()->first)) state.holder = job->FullName();
    }
    state.reason = node->set == v1::QUARANTINED ? absl::StrCat("quarantined: ", node->reason)
                   : node->set == v1::DRAINING  ? absl::StrCat("draining: ", node->reason)
                   : node->lost                 ? absl::StrCat("lost: ", node->WhyLost(nodes.term()))
                                                : "";
  }
  return *cluster_;
}

std::vector<std::pair<JobKey, gang::Event>> Engine::Place(NodeTable& nodes, JobTable& jobs, const queue::Policy& policy,
                                                          absl::Time now) {
  queue::Situation situation;
  placement::Cluster cluster;
  bool made = false;
  std::vector<std::pair<JobKey, gang::Event>> events;
  const placement::HopCosts costs = placement::HopCosts::Of(nodes.tiers());
  for (const auto& [key, job] : jobs.all()) {
    if (job->finished() || job->request == nullptr) continue;
    const bool repair = gang::WantsReplacement(job->gang);
    const bool place = gang::WantsPlacement(job->gang);
    job->queue_position = 0;
    job->waits_for.clear();
    job->starts_by = absl::InfiniteFuture();
    if (!repair && !place) continue;
    if (!made) cluster = ClusterOf(nodes, jobs);
    made = true;
    if (!FromInventory(*job)) {
      if (job->gang.spec->placement().source() != v1::PlacementSpec::BOUND || cluster.topology == nullptr) continue;
      if (std::optional<gang::Event> event = PlaceBound(*job, cluster, costs, &job->waits_for))
        events.emplace_back(key, *std::move(event));
      continue;
    }
    if (place && IsRetest(*job, nodes)) {
      if (cluster.topology == nullptr) continue;
      if (auto placed = PlaceRetest(*job, nodes, cluster, &job->waits_for)) {
        events.emplace_back(key,
                            gang::PlacementFound{std::make_shared<const v1::Placement>(std::move(placed->placement))});
      }
      continue;
    }
    if (place) {
      if (std::string lacks = LacksBackend(*job, nodes); !lacks.empty()) {
        job->waits_for = std::move(lacks);
        continue;
      }
      situation.queued.push_back({TurnOf(*job), job->request.get(), LongestHold(*job, now)});
    }
    if (!repair) continue;
    if (std::optional<queue::RepairJob> of = RepairOf(*job, cluster)) situation.repairs.push_back(*std::move(of));
  }
  if (!made || cluster.topology == nullptr) return events;
  situation.holders = HoldersOf(jobs, nodes, cluster, now);
  situation.cluster = &cluster;
  situation.costs = costs;
  situation.now = now;
  const queue::Answers answers = queue::Admit(situation, policy);
  int32_t last = 0;
  for (const queue::Answer& answer : answers.jobs) last = std::max(last, answer.position);
  const auto take = [&](const queue::Answer& answer, bool repair) {
    Job* job = jobs.FindUid(answer.uid.value());
    if (job == nullptr) return;
    job->queue_position = answer.position;
    job->starts_by = answer.starts_by;
    if (const auto* placed = std::get_if<placement::Placed>(&answer.decision)) {
      auto placement = std::make_shared<v1::Placement>(placed->placement);
      // Known already, by construction.
      if (gang::SeatedByIndex(*job->gang.spec))
        for (int32_t rank = 0; rank < placement->ranks_size(); ++rank)
          placement->mutable_ranks(rank)->set_pod_index(rank);
      events.emplace_back(job->key(), repair ? gang::Event(gang::ReplacementFound{placement})
                                             : gang::Event(gang::PlacementFound{placement}));
    } else if (const auto* never = std::get_if<placement::Never>(&answer.decision);
               never != nullptr && never->whatever_comes && !repair) {
      events.emplace_back(job->key(), gang::NeverFits{placement::ReasonOf(answer.decision)});
    } else {
      // Nodes come as their agents register: what the present ones can't hold waits for more.
      job->waits_for = placement::ReasonOf(answer.decision);
      if (!repair && job->queue_position == 0) job->queue_position = ++last;
    }
  };
  for (const queue::Answer& answer : answers.repairs) take(answer, true);
  for (const queue::Answer& answer : answers.jobs) take(answer, false);
  for (const queue::Preemption& preemption : answers.preemptions) {
    if (const Job* job = jobs.FindUid(preemption.uid.value()))
      events.emplace_back(job->key(), gang::Preempted{preemption.why});
  }
  return events;
}

selftest::Setting Engine::SettingOf(const Job& job, const NodeTable& nodes, gang::PlacementPtr placement, TestId test,
                                    uint64_t seed) {
  selftest::Setting setting;
  setting.test = std::move(test);
  setting.mesh = job.mesh;
  setting.workers_per_member = std::max(1, job.gang.spec->workers_per_member());
  setting.world = int64_t{job.gang.spec->members()} * setting.workers_per_member;
  setting.spec = job.gang.spec->self_test();
  if (setting.spec.backend().empty()) setting.spec.set_backend(DefaultBackend(nodes, *placement));
  setting.placement = std::move(placement);
  setting.seed = seed;
  return setting;
}

absl::StatusOr<Engine::Plan> Engine::PlanTest(const Job& job, const NodeTable& nodes, const Receipts& receipts,
                                              IdMaker& ids, absl::Time now) const {
  const gang::PlacementPtr placement = gang::PlacementOf(job.gang.state);
  if (placement == nullptr) return absl::FailedPreconditionError("there is no placement to test");
  const absl::Duration max_age = DurationOf(job.gang.spec->self_test().max_age());
  const auto young = [&](const v1::Receipt& receipt) { return TimeOf(receipt.finished()) + max_age >= now; };

  if (max_age > absl::ZeroDuration()) {
    const std::optional<v1::Receipt> pass = receipts.LatestPass(placement->digest());
    if (pass && young(*pass)) {
      const Unchanged unchanged(*pass, nodes);
      const auto& ranks = placement->ranks();
      if (std::all_of(ranks.begin(), ranks.end(),
                      [&](const v1::PlacedNode& rank) { return unchanged(rank.node_uid()); }))
        return Plan{gang::ReceiptFound{ReceiptId(pass->id()), placement->digest()}, std::nullopt};
    }
  }

  selftest::Setting setting = SettingOf(job, nodes, placement, TestId(ids.Make("test")), ids.Number());
  // After a repair only what changed runs again: what passed in this stay, or not longer than max_age ago.
  if (const auto* repairing = std::get_if<gang::Repairing>(&job.gang.state)) {
    const std::optional<v1::Receipt> from = receipts.LatestOf(job.gang.uid);
    if (from && !from->waived() && (!repairing->was_running || young(*from)) &&
        from->placement().ranks_size() == placement->ranks_size()) {
      const Unchanged unchanged(*from, nodes);
      setting.carried = selftest::CarryOver(*from, [&](int32_t rank) {
        return from->placement().ranks(rank).node_uid() == placement->ranks(rank).node_uid() &&
               unchanged(placement->ranks(rank).node_uid());
      });
    }
  }
  if (const std::optional<v1::Receipt> past = receipts.LatestPass(placement->digest())) {
    setting.history.assign(past->families().begin(), past->families().end());
    setting.history_from = past->id();
  }
  absl::StatusOr<v1::TestPlan> plan = selftest::MakePlan(setting);
  if (!plan.ok()) return plan.status();
  Plan answer;
  answer.event = gang::TestPlanned{setting.test, std::make_shared<const v1::TestPlan>(*std::move(plan))};
  answer.setting = std::move(setting);
  return answer;
}

}  // namespace muster::core
