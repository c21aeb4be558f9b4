#include "server/core/outlook.h"

#include "server/core/holders.h"

namespace muster::core {

placement::Outlook OutlookOf(const JobTable& jobs, NodeTable& nodes, absl::Time now) {
  placement::Outlook outlook;
  outlook.now = now;
  for (const auto& [key, job] : jobs.all()) {
    if (job->holds.empty() || job->gang.spec == nullptr) continue;
    const absl::Time ends = EndsBy(*job, now);
    if (ends == absl::InfiniteFuture()) continue;
    for (const auto& [uid, use] : job->holds) {
      if (const NodeEntry* node = nodes.Find(uid)) outlook.ends[node->info.name()] = ends;
    }
  }
  for (const auto& [name, node] : nodes.by_name()) {
    if (!node->ok() && node->until < absl::InfiniteFuture()) outlook.heals[name] = node->until;
  }
  return outlook;
}

}  // namespace muster::core
