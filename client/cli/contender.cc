#include "client/cli/contender.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/exit_code.h"
#include "client/cli/file_text.h"
#include "client/cli/names.h"
#include "lib/inventory/node_ranks.h"
#include "lib/placement/baselines/baseline.h"
#include "lib/placement/eligible.h"
#include "lib/placement/place.h"
#include "lib/placement/report.h"
#include "lib/placement/slices.h"

namespace muster::cli {
namespace {

using placement::Cluster;
using placement::HopCosts;
using placement::Request;
using placement::Units;

constexpr char kWords[] = "muster, name-order, kueue, slurm, torchrun, kueue+muster, slurm+muster, job:NAME or a file";

absl::Status NotFound(const std::string& name, absl::string_view why) {
  return WithWayOut(absl::FailedPreconditionError(absl::StrCat(name, ": ", why)), "muster plan says what is free");
}

absl::StatusOr<Units> ByMuster(const Request& request, const Cluster& cluster) {
  const placement::Decision decision = placement::Place(request, cluster);
  if (const auto* placed = std::get_if<placement::Placed>(&decision)) return placed->units;
  return NotFound("muster", placement::ReasonOf(decision));
}

absl::StatusOr<Units> ByBaseline(placement::Baseline baseline, const Request& request, const Cluster& cluster) {
  std::vector<bool> usable = placement::EligibleNodes(request, cluster);
  for (size_t i = 0; i < usable.size(); ++i) {
    usable[i] = usable[i] && cluster.Available(NodeIndex(static_cast<int32_t>(i)));
  }
  placement::BaselineJob job;
  job.units = request.units;
  const auto tier_of = [&](const std::string& name) {
    const absl::optional<size_t> tier = cluster.topology->tiers().Find(name);
    return tier ? static_cast<int>(*tier) : kNoTier;
  };
  job.required_tier = tier_of(request.spec.placement().required());
  job.preferred_tier = tier_of(request.spec.placement().preferred());
  for (const placement::SliceRule& rule : placement::SliceRulesOf(request, *cluster.topology)) {
    job.slices.push_back({rule.tier, rule.units});
  }
  return placement::PlaceAs(baseline, *cluster.topology, usable, job);
}

// Nodes by node rank, as names, to nodes by unit.
absl::StatusOr<Units> UnitsOf(const std::string& name, const std::vector<std::string>& names, const Request& request,
                              const Cluster& cluster) {
  const auto members = static_cast<size_t>(std::max(1, request.spec.members()));
  const bool by_member = names.size() == members && request.members_per_node > 1;
  if (names.size() != static_cast<size_t>(request.units) && !by_member) {
    return UsageError(absl::StrCat(name, " lists ", names.size(), " nodes; the job has ", request.units, " node ranks"),
                      "list one node a rank, in the order of the ranks");
  }
  Units units;
  std::set<NodeIndex> seen;
  for (size_t i = 0; i < names.size(); i += by_member ? request.members_per_node : 1) {
    const absl::optional<NodeIndex> node = cluster.topology->Find(names[i]);
    if (!node) return UsageError(absl::StrCat(name, ": there is no node ", names[i].substr(0, 64)), "list known nodes");
    if (!seen.insert(*node).second)
      return UsageError(absl::StrCat(name, ": node ", names[i], " is there twice"), "keep one");
    units.push_back(*node);
  }
  return units;
}

absl::StatusOr<std::vector<std::string>> NamesOfJob(Context& context, const std::string& name) {
  v1::GetJobRequest request;
  const absl::StatusOr<v1::JobRef> ref = ParseJobName(name, "");
  if (!ref.ok()) return ref.status();
  *request.mutable_job() = *ref;
  const absl::StatusOr<v1::Job> job = context.coordinator().GetJob(request);
  if (!job.ok()) return job.status();
  std::vector<std::string> names;
  for (const v1::PlacedNode& rank : job->placement().ranks()) names.push_back(rank.node());
  if (names.empty()) return NotFound(absl::StrCat("job ", name), "it has no placement now");
  return names;
}

absl::StatusOr<std::vector<std::string>> NamesInFile(Context& context, const std::string& path) {
  const absl::StatusOr<std::string> text = ReadText(path, context.in);
  if (!text.ok()) return WithWayOut(text.status(), absl::StrCat("a placement is ", kWords));
  auto names = inventory::ReadNodeRanks(*text, FileName(path));
  if (!names.ok()) return AboutFile(names.status());
  return names;
}

absl::StatusOr<Units> UnitsOfContender(Context& context, const std::string& name, const Request& request,
                                       const Cluster& cluster, const HopCosts& costs) {
  if (name == "muster") return ByMuster(request, cluster);
  if (name == "name-order") {
    auto units = ByMuster(request, cluster);
    if (units.ok()) std::sort(units->begin(), units->end());
    return units;
  }
  absl::string_view base = name;
  const bool again = absl::ConsumeSuffix(&base, "+muster");
  if (const auto baseline = placement::FindBaseline(base)) {
    auto units = ByBaseline(*baseline, request, cluster);
    if (!units.ok()) return NotFound(name, units.status().message());
    return again ? placement::RankOver(request, cluster, costs, *units) : *units;
  }
  const bool of_job = absl::StartsWith(name, "job:");
  const auto names = of_job ? NamesOfJob(context, name.substr(4)) : NamesInFile(context, name);
  if (!names.ok()) return names.status();
  return UnitsOf(name, *names, request, cluster);
}

}  // namespace

absl::StatusOr<v1::Placement> PlaceContender(Context& context, const std::string& name, const Request& request,
                                             const Cluster& cluster) {
  const HopCosts costs = HopCosts::Of(cluster.topology->tiers());
  const absl::StatusOr<Units> units = UnitsOfContender(context, name, request, cluster, costs);
  if (!units.ok()) return units.status();
  return placement::Report(request, cluster, costs, *units, {});
}

}  // namespace muster::cli
