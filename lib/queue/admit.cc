#include "lib/queue/admit.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/placement/eligible.h"
#include "lib/placement/place.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::Decision;
using placement::NotNow;
using placement::Placed;
using placement::Request;

// A job that waits, and the nodes that those behind it must leave alone.
struct Waiting {
  JobUid uid;
  const Request* request = nullptr;
};

void Take(const Placed& placed, const std::string& job, Cluster& cluster) {
  for (const auto* nodes : {&placed.units, &placed.spares}) {
    for (const NodeIndex node : *nodes) {
      cluster.state_of(node).free = false;
      cluster.state_of(node).holder = job;
    }
  }
}

// The cluster as a job behind sees it: what a blocked job could use is not to be had.
Cluster Without(const std::vector<bool>& reserved, const std::string& holder, Cluster cluster) {
  for (size_t i = 0; i < reserved.size(); ++i) {
    if (!reserved[i] || !cluster.states[i].free) continue;
    cluster.states[i].free = false;
    cluster.states[i].holder = holder;
  }
  return cluster;
}

}  // namespace

bool Turn::Before(const Turn& other) const {
  if (priority != other.priority) return priority > other.priority;
  if (submitted != other.submitted) return submitted < other.submitted;
  return uid < other.uid;
}

Answers Admit(std::vector<RepairJob> repairs, std::vector<QueuedJob> jobs, Cluster cluster,
              const placement::HopCosts& costs) {
  const auto in_turn = [](const auto& a, const auto& b) { return a.turn.Before(b.turn); };
  std::sort(repairs.begin(), repairs.end(), in_turn);
  std::sort(jobs.begin(), jobs.end(), in_turn);
  Answers answers;
  for (const RepairJob& repair : repairs) {
    Decision decision = Repair(repair.repair, cluster, costs);
    if (const auto* placed = std::get_if<Placed>(&decision)) Take(*placed, repair.repair.request->job, cluster);
    answers.repairs.push_back({repair.turn.uid, std::move(decision), 0, JobUid()});
  }
  std::vector<bool> reserved(cluster.states.size());
  std::vector<Waiting> waiting;
  for (const QueuedJob& job : jobs) {
    const Request& request = *job.request;
    Answer answer;
    answer.uid = job.turn.uid;
    answer.decision = waiting.empty() ? Place(request, cluster, costs)
                                      : Place(request, Without(reserved, waiting.front().request->job, cluster), costs);
    if (const auto* placed = std::get_if<Placed>(&answer.decision)) Take(*placed, request.job, cluster);
    if (std::holds_alternative<NotNow>(answer.decision)) {
      if (!waiting.empty() && CanPlace(request, cluster) == v1::OK) {
        answer.behind = waiting.front().uid;
        NotNow not_now;
        not_now.reason =
            absl::StrCat("enough nodes are free, but ", waiting.front().request->job, " (priority ",
                         waiting.front().request->spec.priority(), ") waits ahead for nodes that this job would take");
        not_now.needed = int64_t{request.units} + std::max(request.spec.placement().spares(), 0);
        answer.decision = std::move(not_now);
      }
      const std::vector<bool> wanted = EligibleNodes(request, cluster);
      for (size_t i = 0; i < reserved.size(); ++i) reserved[i] = reserved[i] || wanted[i];
      waiting.push_back({job.turn.uid, job.request});
      answer.position = static_cast<int32_t>(waiting.size());
    }
    answers.jobs.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace muster::queue
