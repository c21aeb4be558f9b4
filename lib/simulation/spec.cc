#include "lib/simulation/spec.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/errors.h"
#include "lib/simulation/dice.h"
#include "lib/simulation/fields.h"

namespace muster::simulation {
namespace {

// key=value, each known and once.
class Settings {
 public:
  static absl::StatusOr<Settings> Read(absl::string_view spec, absl::string_view where,
                                       const std::vector<std::string>& known) {
    Settings settings;
    settings.where_ = std::string(where);
    for (absl::string_view item : absl::StrSplit(spec, ',', absl::SkipWhitespace())) {
      const std::vector<std::string> parts = absl::StrSplit(absl::StripAsciiWhitespace(item), absl::MaxSplits('=', 1));
      if (parts.size() != 2) return settings.Wrong(Shown(parts[0]), "is not key=value; write it as nodes=8,gpus=8");
      if (std::find(known.begin(), known.end(), parts[0]) == known.end()) {
        const std::string nearest = NearestName(parts[0], known);
        return settings.Wrong(
            Shown(parts[0]),
            absl::StrCat("is unknown; ", nearest.empty() ? absl::StrCat("known are ", FewNames(known, 12))
                                                         : absl::StrCat("did you mean ", nearest, "?")));
      }
      if (!settings.values_.emplace(parts[0], parts[1]).second)
        return settings.Wrong(parts[0], "is there twice; give it once");
    }
    return settings;
  }

  absl::Status Wrong(absl::string_view key, absl::string_view problem) const {
    return absl::InvalidArgumentError(absl::StrCat(where_, ": ", key, ": ", problem));
  }
  absl::Status Count(const char* key, int64_t least, int64_t most, int64_t* out) const {
    return Take(key, out, [&](const std::string& value) { return ReadCount(value, least, most); });
  }
  absl::Status Number(const char* key, double least, double most, double* out) const {
    return Take(key, out, [&](const std::string& value) { return ReadNumber(value, least, most); });
  }
  absl::Status Time(const char* key, absl::Duration* out) const {
    return Take(key, out, [](const std::string& value) { return ReadDuration(value); });
  }
  bool has(const std::string& key) const { return values_.count(key) > 0; }

 private:
  template <typename T, typename Reader>
  absl::Status Take(const char* key, T* out, Reader read) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return absl::OkStatus();
    const absl::StatusOr<T> value = read(found->second);
    if (!value.ok()) return Wrong(key, value.status().message());
    *out = *value;
    return absl::OkStatus();
  }

  std::string where_;
  std::map<std::string, std::string> values_;
};

// What a trace is made by.
struct TraceSettings {
  int64_t jobs = 1'000, seed = 1, largest = 1, namespaces = 4, mesh = 1;
  double load = 0.8, limits = 0.9, urgent = 0.1;
  absl::Duration run = absl::Hours(1);
};

int64_t SizeOf(Dice& dice, int64_t largest) {
  int64_t doublings = 0;
  while ((int64_t{2} << doublings) <= largest) ++doublings;
  // Each doubling is met in two thirds of the cases of the one before.
  int64_t exponent = 0;
  while (dice.Share() < 0.67) ++exponent;
  int64_t size = int64_t{1} << (exponent % (doublings + 1));
  if (size > 2 && dice.Share() < 0.2) size -= dice.Below(size / 2);  // not all are powers of two
  return size;
}

TraceMesh MeshOf(Dice& dice, int64_t nodes, int64_t gpus) {
  TraceMesh mesh;
  if (nodes < 2) return mesh;
  mesh.tp = gpus;
  mesh.pp = int64_t{1} << dice.Below(4);
  while (nodes % mesh.pp != 0) mesh.pp /= 2;
  return mesh;
}

TraceJob MakeJob(Dice& dice, const TraceSettings& settings, int64_t index, int64_t gpus) {
  TraceJob job;
  job.name = absl::StrFormat("job-%06d", index);
  job.nodes = static_cast<int32_t>(SizeOf(dice, settings.largest));
  job.gpus_per_node = static_cast<int32_t>(gpus);
  const double factor = std::exp(std::clamp(dice.Normal(), -3.0, 3.0));
  job.run = absl::Floor(std::max(absl::Minutes(1), settings.run * factor), absl::Seconds(1));
  // Some are used more than others.
  const int64_t one = dice.Below(settings.namespaces), other = dice.Below(settings.namespaces);
  job.ns = absl::StrCat("team-", std::min(one, other));
  if (dice.Share() < settings.urgent) job.priority = 100;
  if (dice.Share() < settings.limits) {
    const double slack = dice.Share() < 0.03 ? 0.8 : 1 + 2 * dice.Share();
    job.limit = absl::Ceil(job.run * slack, absl::Minutes(1));
  }
  if (settings.mesh != 0) job.mesh = MeshOf(dice, job.nodes, gpus);
  return job;
}

}  // namespace

absl::StatusOr<placement::Cluster> ClusterOfSpec(absl::string_view spec, absl::string_view where) {
  const absl::StatusOr<Settings> settings = Settings::Read(spec, where, {"blocks", "racks", "nodes", "gpus"});
  if (!settings.ok()) return settings.status();
  int64_t blocks = 1, racks = 1, nodes = 0, gpus = 8;
  for (const absl::Status& status :
       {settings->Count("blocks", 1, kMaxSpecNodes, &blocks), settings->Count("racks", 1, kMaxSpecNodes, &racks),
        settings->Count("nodes", 1, kMaxSpecNodes, &nodes), settings->Count("gpus", 1, kMaxTraceGpus, &gpus)})
    if (!status.ok()) return status;
  if (nodes == 0) return settings->Wrong("nodes", "is missing; give the nodes of a rack, e.g. nodes=16");
  if (static_cast<__int128>(blocks) * racks * nodes > kMaxSpecNodes) {
    return settings->Wrong("nodes", absl::StrCat(blocks, " blocks × ", racks, " racks × ", nodes,
                                                 " nodes are more than ", kMaxSpecNodes, "; make one smaller"));
  }
  std::vector<v1::Node> made;
  for (int64_t block = 1; block <= blocks; ++block) {
    for (int64_t rack = 1; rack <= racks; ++rack) {
      for (int64_t node = 1; node <= nodes; ++node) {
        v1::NodeInfo& info = *made.emplace_back().mutable_info();
        info.set_name(absl::StrCat("b", block, "-r", rack, "-n", node));
        (*info.mutable_labels())["block"] = absl::StrCat("b", block);
        (*info.mutable_labels())["rack"] = absl::StrCat("r", rack);
        (*info.mutable_capacity())["gpu"] = gpus;
      }
    }
  }
  const absl::StatusOr<Tiers> tiers = Tiers::FromLabels({"block", "rack"});
  if (!tiers.ok()) return tiers.status();
  return placement::MakeCluster(*tiers, made);
}

absl::StatusOr<Trace> TraceOfSpec(absl::string_view spec, absl::string_view where, int64_t cluster_nodes,
                                  int64_t gpus_per_node) {
  const absl::StatusOr<Settings> settings =
      Settings::Read(spec, where, {"jobs", "seed", "load", "largest", "run", "namespaces", "limits", "urgent", "mesh"});
  if (!settings.ok()) return settings.status();
  TraceSettings made;
  made.largest = std::max<int64_t>(1, cluster_nodes / 8);
  for (const absl::Status& status :
       {settings->Count("jobs", 1, kMaxTraceJobs, &made.jobs), settings->Count("seed", 0, INT64_MAX, &made.seed),
        settings->Number("load", 0.001, 100, &made.load), settings->Count("largest", 1, cluster_nodes, &made.largest),
        settings->Time("run", &made.run), settings->Count("namespaces", 1, 1'000, &made.namespaces),
        settings->Number("limits", 0, 1, &made.limits), settings->Number("urgent", 0, 1, &made.urgent),
        settings->Count("mesh", 0, 1, &made.mesh)})
    if (!status.ok()) return status;
  if (made.run > absl::Hours(24 * 365) || made.run < absl::Seconds(1))
    return settings->Wrong("run", "is outside of a second to a year");
  Dice dice(static_cast<uint64_t>(made.seed));
  Trace trace;
  double node_seconds = 0;
  for (int64_t i = 1; i <= made.jobs; ++i) {
    trace.jobs.push_back(MakeJob(dice, made, i, gpus_per_node));
    const TraceJob& job = trace.jobs.back();
    node_seconds += job.nodes * absl::ToDoubleSeconds(std::min(job.run, job.limit));
  }
  const double gap = node_seconds / static_cast<double>(cluster_nodes) / made.load / static_cast<double>(made.jobs);
  if (gap * static_cast<double>(made.jobs) > absl::ToDoubleSeconds(kMaxTraceTime))
    return settings->Wrong("load", "spreads the jobs over more than ten years; give more load, or shorter jobs");
  absl::Duration at;
  for (TraceJob& job : trace.jobs) {
    job.submit = at;
    at += absl::Floor(absl::Seconds(gap * dice.Exponential()), absl::Milliseconds(1));
  }
  return trace;
}

absl::StatusOr<Failures> FailuresOfSpec(absl::string_view spec, absl::string_view where) {
  const absl::StatusOr<Settings> settings = Settings::Read(spec, where, {"every", "repair", "checkpoint", "seed"});
  if (!settings.ok()) return settings.status();
  Failures failures;
  int64_t seed = 1;
  for (const absl::Status& status :
       {settings->Time("every", &failures.every), settings->Time("repair", &failures.repair),
        settings->Time("checkpoint", &failures.checkpoint), settings->Count("seed", 0, INT64_MAX, &seed)})
    if (!status.ok()) return status;
  if (!settings->has("every"))
    return settings->Wrong("every", "is missing; give the mean time between a node's failures, e.g. every=200d");
  if (failures.every < absl::Minutes(1)) return settings->Wrong("every", "is less than a minute; give more");
  if (failures.repair < absl::Seconds(1)) return settings->Wrong("repair", "is less than a second; give more");
  failures.seed = static_cast<uint64_t>(seed);
  return failures;
}

}  // namespace muster::simulation
