#include "lib/placement/first_chance.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/errors.h"
#include "lib/placement/eligible.h"
#include "lib/placement/place.h"

namespace muster::placement {
namespace {

// Most moments that are looked at.
constexpr size_t kMaxMoments = 1000;

// "15:40 UTC", with the day where it isn't today's.
std::string ClockText(absl::Time at, absl::Time now) {
  const absl::TimeZone utc = absl::UTCTimeZone();
  const bool today = absl::ToCivilDay(at, utc) == absl::ToCivilDay(now, utc);
  return absl::StrCat(absl::FormatTime(today ? "%H:%M" : "%b %d %H:%M", at, utc), " UTC");
}

// "1h35m"; days as hours would be hard to read.
std::string FromNow(absl::Duration wait) {
  const int64_t minutes = std::max<int64_t>(1, absl::ToInt64Minutes(wait + absl::Seconds(59)));
  if (minutes < 60) return absl::StrCat(minutes, "m");
  if (minutes < 48 * 60)
    return absl::StrCat(minutes / 60, "h", minutes % 60 == 0 ? "" : absl::StrCat(minutes % 60, "m"));
  return absl::StrCat(minutes / (24 * 60), "d", minutes / 60 % 24, "h");
}

// What becomes free or whole at one moment.
struct Moment {
  std::vector<NodeIndex> end;
  std::vector<NodeIndex> heal;
};

std::map<absl::Time, Moment> MomentsOf(const Request& request, const Cluster& cluster, const Outlook& outlook) {
  const std::vector<bool> eligible = EligibleNodes(request, cluster);
  std::map<absl::Time, Moment> moments;
  for (int32_t i = 0; i < cluster.topology->size(); ++i) {
    const NodeState& state = cluster.states[i];
    if (!eligible[i]) continue;
    const std::string& name = cluster.topology->node(NodeIndex(i)).name;
    const auto ends = outlook.ends.find(name);
    const auto heals = outlook.heals.find(name);
    if (!state.free && ends != outlook.ends.end()) moments[ends->second].end.push_back(NodeIndex(i));
    if (!state.ok && heals != outlook.heals.end()) moments[heals->second].heal.push_back(NodeIndex(i));
  }
  return moments;
}

std::string WhatHappens(const std::set<std::string>& ended, const std::vector<std::string>& healed) {
  std::vector<std::string> parts;
  if (!ended.empty()) {
    parts.push_back(
        absl::StrCat(FewNames({ended.begin(), ended.end()}), ended.size() == 1 ? " has" : " have", " ended"));
  }
  if (!healed.empty()) {
    parts.push_back(absl::StrCat(FewNames(healed), healed.size() == 1 ? " is" : " are", " let back"));
  }
  return absl::StrJoin(parts, " and ");
}

}  // namespace

std::string FirstChance(const Request& request, const Cluster& cluster, const Outlook& outlook) {
  const absl::Time now = outlook.now;
  std::map<absl::Time, Moment> moments = MomentsOf(request, cluster, outlook);
  moments.erase(absl::InfiniteFuture());
  Cluster later = cluster;
  std::set<std::string> ended;
  std::vector<std::string> healed;
  size_t looked_at = 0;
  for (const auto& [at, moment] : moments) {
    if (++looked_at > kMaxMoments) break;
    for (const NodeIndex node : moment.end) {
      later.state_of(node).free = true;
      ended.insert(cluster.state_of(node).holder);
    }
    for (const NodeIndex node : moment.heal) {
      later.state_of(node).ok = true;
      healed.push_back(cluster.topology->node(node).name);
    }
    if (CanPlace(request, later) != v1::OK) continue;
    return absl::StrCat("possible by ", ClockText(at, now),
                        at > now ? absl::StrCat(" (in ", FromNow(at - now), ")") : " (any moment)", ", when ",
                        WhatHappens(ended, healed));
  }
  return moments.empty() ? "when: unknown, for no job that holds nodes has declared its end and no quarantine has one"
                         : "when: unknown, for the ends that are declared don't make enough room";
}

}  // namespace muster::placement
