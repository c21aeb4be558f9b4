#include "server/core/holders.h"

#include <algorithm>
#include <utility>

#include "lib/gang/limits.h"

namespace muster::core {
namespace {

// Whether the gang gives its nodes back by itself.
bool Leaves(const gang::Gang& gang) {
  const auto* stopping = std::get_if<gang::Stopping>(&gang.state);
  if (stopping != nullptr) return stopping->next != gang::Next::kPlaced;
  return gang::PlacementOf(gang.state) == nullptr && !std::holds_alternative<gang::Repairing>(gang.state);
}

bool Preemptible(const gang::Gang& gang) {
  const auto source = gang.spec->placement().source();
  const bool ours = source == v1::PlacementSpec::MUSTER || source == v1::PlacementSpec::SOURCE_UNSPECIFIED;
  return ours && gang.spec->launch().kind() != v1::LaunchSpec::TEST_ONLY && !Leaves(gang);
}

}  // namespace

queue::Turn TurnOf(const Job& job) {
  return {job.gang.spec->priority(), job.gang.submitted, job.key(), job.gang.uid, job.gang.ns};
}

absl::Duration LongestHold(const Job& job, absl::Time now) {
  const gang::Limits limits = gang::LimitsOf(*job.gang.spec);
  const absl::Duration left = std::max(job.gang.submitted + limits.deadline - now, absl::ZeroDuration());
  return std::min(limits.max_duration, left) + limits.stop_deadline;
}

absl::Time EndsBy(const Job& job, absl::Time now) {
  if (Leaves(job.gang)) return now;
  const gang::Limits limits = gang::LimitsOf(*job.gang.spec);
  absl::Time ends = job.gang.submitted + limits.deadline;
  if (job.gang.holds_since != absl::InfinitePast()) ends = std::min(ends, job.gang.holds_since + limits.max_duration);
  return std::max(ends + limits.stop_deadline, now);
}

std::vector<queue::Holder> HoldersOf(const JobTable& jobs, NodeTable& nodes, const placement::Cluster& cluster,
                                     absl::Time now) {
  std::vector<queue::Holder> holders;
  for (const auto& [key, job] : jobs.all()) {
    if (job->holds.empty()) continue;
    queue::Holder holder;
    for (const auto& [uid, use] : job->holds) {
      const NodeEntry* node = nodes.Find(uid);
      if (node == nullptr) continue;
      if (const absl::optional<NodeIndex> index = cluster.topology->Find(node->info.name()))
        holder.nodes.push_back(*index);
    }
    if (holder.nodes.empty()) continue;
    std::sort(holder.nodes.begin(), holder.nodes.end());
    holder.turn = TurnOf(*job);
    holder.job = job->FullName();
    holder.request = job->request.get();
    const bool known = job->gang.holds_since != absl::InfinitePast();
    holder.since = known ? job->gang.holds_since : job->gang.since;
    holder.ends = EndsBy(*job, now);
    holder.leaving = Leaves(job->gang);
    holder.preemptible = Preemptible(job->gang);
    holders.push_back(std::move(holder));
  }
  return holders;
}

}  // namespace muster::core
