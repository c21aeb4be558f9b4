#include "lib/simulation/simulate.h"

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/make_mesh.h"
#include "lib/placement/request.h"
#include "lib/queue/defragment.h"
#include "lib/simulation/dice.h"
#include "lib/simulation/ground.h"

namespace muster::simulation {
namespace {

using placement::Placed;
using placement::Request;
using RequestPtr = std::shared_ptr<const Request>;

constexpr size_t kNowhere = static_cast<size_t>(-1);

// Jobs of one shape share their request.
class Requests {
 public:
  absl::StatusOr<RequestPtr> Of(const TraceJob& job) {
    RequestPtr& request = made_[{job.nodes, job.gpus_per_node, job.spares, job.mesh, job.required}];
    if (request != nullptr) return request;
    absl::StatusOr<RequestPtr> made = Make(job);
    if (made.ok()) request = *made;
    return made;
  }

 private:
  static absl::StatusOr<RequestPtr> Make(const TraceJob& job) {
    v1::JobSpec spec;
    spec.set_members(job.nodes);
    spec.set_workers_per_member(job.gpus_per_node);
    spec.mutable_placement()->set_required(job.required);
    spec.mutable_placement()->set_spares(job.spares);
    std::shared_ptr<const mesh::Mesh> mesh;
    if (job.mesh.any()) {
      mesh::MegatronSpec degrees;
      degrees.tp = job.mesh.tp;
      degrees.cp = job.mesh.cp;
      degrees.pp = job.mesh.pp;
      degrees.ep = job.mesh.ep;
      auto made = mesh::MakeMesh({mesh::Compat::kCareful, degrees}, int64_t{job.nodes} * job.gpus_per_node);
      if (!made.ok()) return absl::InvalidArgumentError(absl::StrCat("job ", job.name, ": ", made.status().message()));
      mesh = *made;
    }
    auto request = placement::RequestOf(job.name, spec, mesh);
    if (!request.ok())
      return absl::InvalidArgumentError(absl::StrCat("job ", job.name, ": ", request.status().message()));
    return std::make_shared<const Request>(*std::move(request));
  }

  std::map<std::tuple<int32_t, int32_t, int32_t, TraceMesh, std::string>, RequestPtr> made_;
};

enum class Kind { kEnd, kLeft, kMend, kRepairOver, kFail, kSubmit };

struct Event {
  absl::Time at;
  Kind kind;
  int64_t what = 0;   // job or node
  int64_t epoch = 0;  // of the job; an older one's events are void
  bool operator>(const Event& other) const {
    return std::tie(at, kind, what) > std::tie(other.at, other.kind, other.what);
  }
};

// A job between its submission and its end.
struct Life {
  RequestPtr request;
  absl::Duration remaining;  // of its work
  absl::Time resumed;        // it works since
  absl::Time since;          // it has nodes since
  std::vector<NodeIndex> units, spares;
  std::vector<int32_t> vacated;  // units that wait for a node
  int64_t epoch = 0;
  size_t queued = kNowhere, holder = kNowhere;  // places in the situation
  bool leaving = false;
};

class Simulation {
 public:
  explicit Simulation(const Setup& setup)
      : setup_(setup), ground_(setup.cluster), dice_(setup.failures.seed), lives_(setup.jobs.size()) {
    situation_.cluster = &ground_.cluster();
    situation_.costs = setup.costs;
    situation_.search = setup.search;
    situation_.reasons = false;
    result_.jobs.resize(setup.jobs.size());
    result_.nodes = ground_.size();
    to_submit_ = static_cast<int64_t>(setup.jobs.size());
  }

  absl::StatusOr<Result> Run() {
    if (ground_.size() == 0) return absl::InvalidArgumentError("the cluster has no nodes; give some");
    for (size_t i = 0; i < setup_.jobs.size(); ++i) Add(zero_ + setup_.jobs[i].submit, Kind::kSubmit, i);
    if (setup_.failures.every != absl::InfiniteDuration()) NextFailure(zero_);
    while (!events_.empty() && !Over()) {
      now_ = events_.top().at;
      bool run = false;
      while (!events_.empty() && events_.top().at == now_) {
        const Event event = events_.top();
        events_.pop();
        absl::StatusOr<bool> changed = Happen(event);
        if (!changed.ok()) return changed.status();
        run |= *changed;
      }
      if (run && (!situation_.queued.empty() || !repairing_.empty())) RunQueue();
      Measure();
    }
    return std::move(result_);
  }

 private:
  void Add(absl::Time at, Kind kind, int64_t what, int64_t epoch = 0) { events_.push({at, kind, what, epoch}); }

  // Nothing that can still happen lets a job start or end.
  bool Over() const {
    return to_submit_ == 0 && situation_.holders.empty() && (situation_.queued.empty() || ground_.down() == 0);
  }

  // Whether a job could start now that couldn't before, or can be told that it never will.
  absl::StatusOr<bool> Happen(const Event& event) {
    ++result_.events;
    switch (event.kind) {
      case Kind::kSubmit:
        return Submit(event.what);
      case Kind::kFail:
        return Fail(NodeIndex(static_cast<int32_t>(event.what)));
      case Kind::kMend:
        ground_.Mend(NodeIndex(static_cast<int32_t>(event.what)));
        return true;
      default:
        break;
    }
    Life& life = lives_[event.what];
    if (event.epoch != life.epoch) return false;
    switch (event.kind) {
      case Kind::kEnd:
        End(event.what);
        break;
      case Kind::kLeft:
        LetGo(life);
        Queue(event.what);
        break;
      default:         // kRepairOver
        ++life.epoch;  // its limit may have been due later
        repairing_.erase(event.what);
        LetGo(life);
        Queue(event.what);
    }
    return true;
  }

  absl::StatusOr<bool> Submit(int64_t index) {
    --to_submit_;
    const TraceJob& job = setup_.jobs[index];
    absl::StatusOr<RequestPtr> request = requests_.Of(job);
    if (!request.ok()) return request.status();
    lives_[index].request = *std::move(request);
    lives_[index].remaining = job.run;
    Queue(index);
    return setup_.policy.preempt || situation_.holders.empty() ||
           int64_t{job.nodes} + job.spares <= ground_.available();
  }

  queue::Turn TurnOf(int64_t index) const {
    const TraceJob& job = setup_.jobs[index];
    return {job.priority, zero_ + job.submit, index, JobUid(absl::StrCat(index)), job.ns};
  }

  void Queue(int64_t index) {
    lives_[index].queued = situation_.queued.size();
    situation_.queued.push_back({TurnOf(index), lives_[index].request.get(), setup_.jobs[index].limit});
  }

  // Takes one out of a list by putting the last in its place.
  template <typename T, typename Place>
  void Remove(std::vector<T>& list, Place place, int64_t index) {
    const size_t at = std::exchange(lives_[index].*place, kNowhere);
    if (at + 1 < list.size()) {
      list[at] = std::move(list.back());
      lives_[IndexOf(list[at].turn.uid)].*place = at;
    }
    list.pop_back();
  }
  static int64_t IndexOf(const JobUid& uid) {
    int64_t index = 0;
    return absl::SimpleAtoi(uid.value(), &index) ? index : 0;
  }

  void RunQueue() {
    ++result_.runs;
    situation_.now = now_;
    situation_.repairs.clear();
    for (const int64_t index : repairing_) {
      const Life& life = lives_[index];
      situation_.repairs.push_back({TurnOf(index), {life.request.get(), life.units, life.vacated, life.spares}});
    }
    const queue::Answers answers = queue::Admit(situation_, setup_.policy);
    if (setup_.observe) setup_.observe(situation_, answers);
    for (const queue::Answer& answer : answers.repairs) Mended(IndexOf(answer.uid), answer.decision);
    for (const queue::Answer& answer : answers.jobs) {
      const int64_t index = IndexOf(answer.uid);
      if (const auto* placed = std::get_if<Placed>(&answer.decision)) {
        Start(index, *placed);
      } else if (std::holds_alternative<placement::Never>(answer.decision)) {
        Remove(situation_.queued, &Life::queued, index);
        result_.jobs[index].fate = Fate::kNever;
      }
    }
    for (const queue::Preemption& preemption : answers.preemptions) Preempt(IndexOf(preemption.uid));
    AskForMoves(answers);
  }

  void AskForMoves(const queue::Answers& answers) {
    const auto leader = std::find_if(answers.jobs.begin(), answers.jobs.end(),
                                     [](const queue::Answer& answer) { return answer.leads; });
    const int64_t index = leader == answers.jobs.end() ? -1 : IndexOf(leader->uid);
    if (std::exchange(leader_, index) == index || index < 0) return;
    const auto proposal =
        queue::Defragment(*lives_[index].request, ground_.cluster(), situation_.holders, setup_.costs, now_);
    if (!proposal) return;
    ++result_.movable_leaders;
    result_.moves += static_cast<int64_t>(proposal->moves.size());
    result_.move_node_seconds += static_cast<double>(proposal->lost);
  }

  void Start(int64_t index, const Placed& placed) {
    Life& life = lives_[index];
    JobResult& result = result_.jobs[index];
    Remove(situation_.queued, &Life::queued, index);
    ++result_.placements;
    if (result.started == absl::InfiniteDuration()) {
      result.started = now_ - zero_;
      result.cost = placed.placement.cost();
      result.bound = placed.placement.bound_known() ? placed.placement.lower_bound() : 0;
    }
    life.since = now_;
    life.units = placed.units;
    life.spares = placed.spares;
    queue::Holder holder;
    holder.turn = TurnOf(index);
    holder.request = life.request.get();
    holder.since = now_;
    holder.ends = now_ + setup_.jobs[index].limit;
    for (const auto* nodes : {&life.units, &life.spares}) {
      for (const NodeIndex node : *nodes) {
        ground_.Take(node);
        holder.nodes.push_back(node);
        owner_[node] = index;
      }
    }
    life.holder = situation_.holders.size();
    situation_.holders.push_back(std::move(holder));
    Resume(index);
  }

  void Resume(int64_t index) {
    Life& life = lives_[index];
    life.resumed = now_;
    Add(std::min(now_ + life.remaining, life.since + setup_.jobs[index].limit), Kind::kEnd, index, ++life.epoch);
  }

  // It works no more; what it has not saved is lost.
  void Interrupt(int64_t index) {
    Life& life = lives_[index];
    ++life.epoch;
    const absl::Duration worked = now_ - life.resumed;
    const absl::Duration every = setup_.failures.checkpoint;
    const absl::Duration saved = every > absl::ZeroDuration() ? absl::Floor(worked, every) : absl::ZeroDuration();
    life.remaining -= saved;
    result_.lost_node_seconds += absl::ToDoubleSeconds(worked - saved) * static_cast<double>(life.units.size());
  }

  void End(int64_t index) {
    Life& life = lives_[index];
    JobResult& result = result_.jobs[index];
    ++life.epoch;
    result.ended = now_ - zero_;
    const bool idle = repairing_.erase(index) > 0;
    result.fate = idle || now_ - life.resumed < life.remaining ? Fate::kOverLimit : Fate::kDone;
    LetGo(life);
  }

  void LetGo(Life& life) {
    const std::vector<NodeIndex> nodes = situation_.holders[life.holder].nodes;
    for (const NodeIndex node : nodes) {
      ground_.Free(node);
      owner_.erase(node);
    }
    Remove(situation_.holders, &Life::holder, IndexOf(situation_.holders[life.holder].turn.uid));
    life.units.clear();
    life.spares.clear();
    life.vacated.clear();
    life.leaving = false;
  }

  void Preempt(int64_t index) {
    Life& life = lives_[index];
    ++result_.jobs[index].preempted;
    ++result_.jobs[index].requeued;
    if (repairing_.erase(index) == 0) Interrupt(index);
    life.leaving = true;
    situation_.holders[life.holder].leaving = true;
    Add(now_ + kStop, Kind::kLeft, index, ++life.epoch);
  }

  void NextFailure(absl::Time after) {
    const absl::Duration gap = setup_.failures.every * (dice_.Exponential() / static_cast<double>(ground_.size()));
    Add(after + std::max(gap, absl::Milliseconds(1)), Kind::kFail, dice_.Below(ground_.size()));
  }

  absl::StatusOr<bool> Fail(NodeIndex node) {
    NextFailure(now_);
    if (!ground_.cluster().state_of(node).ok) return false;
    ++result_.failures;
    ground_.Fail(node);
    Add(now_ + setup_.failures.repair, Kind::kMend, node.value());
    const auto owner = owner_.find(node);
    if (owner == owner_.end()) return false;
    const int64_t index = owner->second;
    Life& life = lives_[index];
    owner_.erase(owner);
    ground_.Free(node);
    std::vector<NodeIndex>& held = situation_.holders[life.holder].nodes;
    held.erase(std::find(held.begin(), held.end(), node));
    life.spares.erase(std::remove(life.spares.begin(), life.spares.end(), node), life.spares.end());
    const auto unit = std::find(life.units.begin(), life.units.end(), node);
    if (unit == life.units.end() || life.leaving) return false;
    if (++result_.jobs[index].failed > kMaxInterruptions) {
      return absl::InvalidArgumentError(
          absl::StrCat("job ", setup_.jobs[index].name, " has lost ", kMaxInterruptions,
                       " nodes and doesn't come to its end: let nodes fail less often, or "
                       "jobs save more often"));
    }
    life.vacated.push_back(static_cast<int32_t>(unit - life.units.begin()));
    std::sort(life.vacated.begin(), life.vacated.end());
    if (!repairing_.insert(index).second) return true;
    Interrupt(index);
    Add(now_ + kRepairDeadline, Kind::kRepairOver, index, life.epoch);
    const absl::Duration limit = setup_.jobs[index].limit;
    if (limit != absl::InfiniteDuration()) Add(life.since + limit, Kind::kEnd, index, life.epoch);
    return true;
  }

  void Mended(int64_t index, const placement::Decision& decision) {
    const auto* placed = std::get_if<Placed>(&decision);
    if (placed == nullptr) return;
    Life& life = lives_[index];
    std::vector<NodeIndex>& held = situation_.holders[life.holder].nodes;
    for (const NodeIndex node : placed->units) {
      if (std::find(held.begin(), held.end(), node) != held.end()) continue;
      ground_.Take(node);
      owner_[node] = index;
      held.push_back(node);
    }
    life.units = placed->units;
    life.spares = placed->spares;
    life.vacated.clear();
    repairing_.erase(index);
    Resume(index);
  }

  void Measure() {
    const Level level{now_ - zero_, ground_.busy(), ground_.down(), static_cast<int64_t>(situation_.queued.size()),
                      ground_.broken()};
    result_.end = level.at;
    if (!result_.levels.empty() && result_.levels.back().at == level.at) result_.levels.pop_back();
    result_.levels.push_back(level);
  }

  const Setup& setup_;
  const absl::Time zero_ = absl::UnixEpoch();
  Ground ground_;
  Dice dice_;
  Requests requests_;
  std::vector<Life> lives_;
  std::map<NodeIndex, int64_t> owner_;
  std::set<int64_t> repairing_;
  queue::Situation situation_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  absl::Time now_ = zero_;
  int64_t to_submit_ = 0;
  int64_t leader_ = -1;  // of those that wait
  Result result_;
};

}  // namespace

absl::StatusOr<Result> Simulate(const Setup& setup) { return Simulation(setup).Run(); }

}  // namespace muster::simulation
