#include "lib/queue/admit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/placement/eligible.h"
#include "lib/placement/feasible.h"
#include "lib/placement/place.h"
#include "lib/queue/demand.h"
#include "lib/queue/reasons.h"
#include "lib/queue/victims.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::Decision;
using placement::NotNow;
using placement::Placed;
using placement::Request;

int64_t NodesOf(const Request& request) {
  return int64_t{request.units} + std::max(request.spec.placement().spares(), 0);
}

// Jobs that ask for the same kind of node look at the same set.
class EligibleSets {
 public:
  explicit EligibleSets(const Cluster& cluster) : cluster_(cluster) {}

  std::shared_ptr<const NodeSet> Of(const Request& request) {
    const v1::PlacementSpec& wanted = request.spec.placement();
    if (wanted.nodes_size() > 0) return Make(request);
    const std::map<std::string, std::string> selector(wanted.node_selector().begin(), wanted.node_selector().end());
    std::shared_ptr<const NodeSet>& set = sets_[{request.slots, selector}];
    if (set == nullptr) set = Make(request);
    return set;
  }

 private:
  std::shared_ptr<const NodeSet> Make(const Request& request) const {
    return std::make_shared<const NodeSet>(placement::EligibleNodes(request, cluster_));
  }

  const Cluster& cluster_;
  std::map<std::pair<int64_t, std::map<std::string, std::string>>, std::shared_ptr<const NodeSet>> sets_;
};

// One run through the queue.
class Run {
 public:
  Run(const Situation& situation, const Policy& policy)
      : s_(situation),
        policy_(policy),
        cluster_(*situation.cluster),
        eligible_(*situation.cluster),
        horizon_(*situation.cluster, situation.holders, situation.now) {
    for (const Holder& holder : s_.holders) held_[holder.turn.ns] += static_cast<int64_t>(holder.nodes.size());
  }

  Answers Go() {
    std::vector<const RepairJob*> repairs;
    for (const RepairJob& repair : s_.repairs) repairs.push_back(&repair);
    std::sort(repairs.begin(), repairs.end(),
              [&](const RepairJob* a, const RepairJob* b) { return GoesBefore(a->turn, b->turn, policy_); });
    for (const RepairJob* repair : repairs) Mend(*repair);
    std::vector<Entry> entries;
    for (const QueuedJob& job : s_.queued) entries.push_back({&job.turn, NodesOf(*job.request)});
    for (const size_t i : InOrder(entries, held_, policy_)) answers_.jobs.push_back(Look(s_.queued[i]));
    return std::move(answers_);
  }

 private:
  void Mend(const RepairJob& repair) {
    Decision decision =
        Repair(repair.repair, cluster_, s_.costs, s_.reasons ? placement::SearchOptions::kDefaultSteps / 4 : 0);
    if (const auto* placed = std::get_if<Placed>(&decision)) {
      // What is new of it; it ends when the job does.
      absl::Time ends = absl::InfiniteFuture();
      std::set<NodeIndex> old;
      for (const Holder& holder : s_.holders) {
        if (holder.turn.uid != repair.turn.uid) continue;
        ends = holder.ends;
        old.insert(holder.nodes.begin(), holder.nodes.end());
      }
      std::vector<NodeIndex> fresh;
      for (const NodeIndex node : placed->units) {
        if (cluster_.Available(node) && old.count(node) == 0) fresh.push_back(node);
      }
      Take(*placed, repair.repair.request->job);
      horizon_.Take(fresh, ends);
      held_[repair.turn.ns] += static_cast<int64_t>(fresh.size());
    }
    Answer answer;
    answer.uid = repair.turn.uid;
    answer.decision = std::move(decision);
    answers_.repairs.push_back(std::move(answer));
  }

  Answer Look(const QueuedJob& job) {
    const Request& request = *job.request;
    Answer answer;
    answer.uid = job.turn.uid;
    if (absl::optional<placement::Never> never = placement::Refusal(request, cluster_.topology->tiers())) {
      answer.decision = *std::move(never);
      return answer;
    }
    const int64_t needed = NodesOf(request);
    if (const std::string over = OverQuota(job.turn.ns, needed); !over.empty()) return Wait(answer, needed, over);
    const absl::Time ends = s_.now + job.duration;
    const bool counted = horizon_.CountFree(ends) >= needed && looks_ < policy_.looks;
    const bool reserve = reserved_ < policy_.reservations;
    if (!counted && !reserve) return Wait(answer, needed, s_.reasons ? FarBack(needed, first_) : "");
    ++looks_;
    const Demand demand(request, cluster_, eligible_.Of(request));
    if (!demand.EverFits()) {
      answer.decision = placement::Place(request, cluster_, s_.costs, s_.search);
      return answer;
    }
    if (counted) {
      const NodeSet free = horizon_.FreeFor(demand, ends);
      if (demand.Fits(free) && Start(job, free, ends, answer)) return answer;
    }
    if (!reserve) return Wait(answer, needed, s_.reasons ? FarBack(needed, first_) : "");
    return Reserve(job, demand, std::move(answer));
  }

  // Why the namespace's quota keeps the job from starting, empty where it doesn't. The namespace waits from then on,
  // unless the job alone is too much.
  std::string OverQuota(const std::string& ns, int64_t needed) {
    const int64_t quota = policy_.QuotaOf(ns);
    if (needed > quota) return BeyondQuota(ns, needed, quota);
    const auto held = held_.find(ns);
    const int64_t has = held == held_.end() ? 0 : held->second;
    if (full_.count(ns) == 0 && needed <= quota - has) return "";
    full_.insert(ns);
    return QuotaFull(ns, needed, has, quota);
  }

  bool Start(const QueuedJob& job, const NodeSet& free, absl::Time ends, Answer& answer) {
    Decision decision = reserved_ == 0 ? placement::Place(*job.request, cluster_, s_.costs, s_.search)
                                       : placement::Place(*job.request, Only(free), s_.costs, s_.search);
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr) return false;
    Take(*placed, job.request->job);
    horizon_.Take(placed->units, ends);
    horizon_.Take(placed->spares, ends);
    held_[job.turn.ns] += static_cast<int64_t>(placed->units.size() + placed->spares.size());
    answer.decision = std::move(decision);
    return true;
  }

  // The cluster as a job sees it that must leave reservations alone.
  Cluster Only(const NodeSet& free) const {
    Cluster cluster = cluster_;
    for (size_t i = 0; i < free.size(); ++i) cluster.states[i].free = cluster.states[i].free && free[i];
    return cluster;
  }

  void Take(const Placed& placed, const std::string& job) {
    for (const auto* nodes : {&placed.units, &placed.spares}) {
      for (const NodeIndex node : *nodes) {
        cluster_.state_of(node).free = false;
        cluster_.state_of(node).holder = job;
      }
    }
  }

  Answer Wait(Answer answer, int64_t needed, std::string reason) {
    answer.position = ++waiting_;
    NotNow not_now;
    not_now.reason = std::move(reason);
    not_now.needed = needed;
    answer.decision = std::move(not_now);
    return answer;
  }

  Answer Reserve(const QueuedJob& job, const Demand& demand, Answer answer) {
    const bool behind = reserved_ > 0 && demand.Fits(horizon_.Free(demand));
    std::string reason;
    if (s_.reasons) reason = behind ? WaitsBehind(first_, job.duration, s_.now) : "";
    if (behind) answer.behind = first_uid_;
    answer = Wait(std::move(answer), demand.nodes(), reason);
    if (s_.reasons && !behind) {
      Decision why = placement::Place(*job.request, cluster_, s_.costs, s_.search);
      if (std::holds_alternative<NotNow>(why)) answer.decision = std::move(why);
    }
    std::string making_room;
    if (reserved_ == 0 && policy_.preempt) making_room = MakeRoom(job, demand);
    answer.starts_by = horizon_.Reserve(demand, job.duration);
    if (s_.reasons) Explain(making_room, answer);
    if (reserved_++ == 0) {
      answer.leads = true;
      first_ = {job.request->job, job.turn.priority, answer.starts_by};
      first_uid_ = job.turn.uid;
    }
    return answer;
  }

  void Explain(const std::string& making_room, Answer& answer) const {
    std::string& reason = std::get<NotNow>(answer.decision).reason;
    if (!making_room.empty()) {
      absl::StrAppend(&reason, "; ", making_room);
    } else if (answer.starts_by <= s_.now) {
      absl::StrAppend(&reason, "; starts as soon as jobs that are ending have ended");
    } else if (answer.starts_by != absl::InfiniteFuture()) {
      absl::StrAppend(&reason, "; starts by ", TimeText(answer.starts_by, s_.now), ", when others have to end");
    }
  }

  // Has jobs of less priority stopped; how that is told.
  std::string MakeRoom(const QueuedJob& job, const Demand& demand) {
    const NodeSet soon = horizon_.FreeBy(demand, s_.now + policy_.stop);
    if (demand.Fits(soon)) return "";
    const std::optional<Victims> victims =
        ChooseVictims(demand, cluster_, soon, s_.holders, s_.now, [&](const Holder& holder) {
          return holder.turn.priority < job.turn.priority && GoesBefore(job.turn, holder.turn, policy_);
        });
    if (!victims) return "";
    std::vector<std::string> names;
    for (const size_t i : victims->holders) {
      const Holder& holder = s_.holders[i];
      names.push_back(holder.job);
      answers_.preemptions.push_back(
          {holder.turn.uid, job.turn.uid,
           absl::StrCat("preempted: ", job.request->job, " (priority ", job.turn.priority, ") needs its nodes")});
      horizon_.Release(holder.nodes);
    }
    return absl::StrCat("makes room by stopping ", names.front(),
                        names.size() == 1 ? "" : absl::StrCat(" and ", names.size() - 1, " more"), " of less priority");
  }

  const Situation& s_;
  const Policy& policy_;
  Cluster cluster_;  // with what starts in this run
  EligibleSets eligible_;
  Horizon horizon_;
  std::map<std::string, int64_t> held_;  // nodes by namespace
  std::set<std::string> full_;           // namespaces that wait for their quota
  int32_t waiting_ = 0;
  int32_t reserved_ = 0;
  int32_t looks_ = 0;
  Ahead first_;
  JobUid first_uid_;
  Answers answers_;
};

}  // namespace

Answers Admit(const Situation& situation, const Policy& policy) { return Run(situation, policy).Go(); }

}  // namespace muster::queue
