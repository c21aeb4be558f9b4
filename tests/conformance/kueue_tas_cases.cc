// Kueue's topology-aware placement and replacement, against lib/placement: each pod is a unit (pod_seats.h). A job
// without a mesh: the spread decides, tier by tier.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "lib/job/validate.h"
#include "lib/placement/place.h"
#include "lib/placement/repair.h"
#include "lib/placement/request.h"
#include "lib/placement/slices.h"
#include "tests/conformance/peers.h"
#include "tests/conformance/pod_seats.h"

namespace muster::conformance {
namespace {

using placement::Cluster;

using Counts = std::map<LeafPath, int64_t>;

constexpr char kBalanced[] =
    "no job field asks for an even split (Kueue's balanced profile): other counts, spread no worse";
constexpr char kSoftAffinity[] = "no job field prefers nodes by label softly: the matched weight is not sought";
constexpr char kCoarseSlice[] = "a slice coarser than the required level is implied by it, not refused";
constexpr char kSinglePod[] = "a single pod that is its own owner is replaced like any other member";

std::vector<std::string> LevelsOf(const Json& peer_case) {
  return peer_case.at("levels").get<std::vector<std::string>>();
}

Resources PerPod(const Json& request) { return request.at("per_pod").get<Resources>(); }

// nullopt: the job isn't valid.
absl::optional<placement::Request> RequestOf(const Json& request) {
  v1::JobSpec spec;
  spec.set_members(request.at("count").get<int32_t>());
  spec.set_workers_per_member(1);
  if (request.at("mode") == "required") spec.mutable_placement()->set_required(request.at("level").get<std::string>());
  for (const Json& slice : request.at("slices")) {
    v1::PlacementSpec::Slice& added = *spec.mutable_placement()->add_slices();
    added.set_tier(slice.at("level").get<std::string>());
    added.set_size(slice.at("size").is_number() ? slice.at("size").get<int32_t>() : 0);
  }
  if (!ValidateJob("default", "peer", spec).ok()) return absl::nullopt;
  auto made = placement::RequestOf("default/peer", spec, nullptr);
  if (!made.ok()) return absl::nullopt;
  return *std::move(made);
}

Counts CountLeaves(const Cluster& cluster, const std::vector<NodeIndex>& units) {
  Counts counts;
  for (const NodeIndex unit : units) {
    const TopologyPath& path = cluster.topology->node(unit).path;
    ++counts[LeafPath(path.begin(), path.end())];
  }
  return counts;
}

// Domains touched, coarse to fine.
std::vector<int64_t> SpreadOf(const Counts& counts) {
  std::vector<int64_t> spread;
  if (counts.empty()) return spread;
  for (size_t level = 0; level < counts.begin()->first.size(); ++level) {
    std::set<LeafPath> domains;
    for (const auto& [path, count] : counts)
      domains.emplace(path.begin(), path.begin() + static_cast<ptrdiff_t>(level) + 1);
    spread.push_back(static_cast<int64_t>(domains.size()));
  }
  return spread;
}

// Muster's answer to one request on the seats of these leaves.
absl::optional<Counts> PlaceOne(const Json& peer_case, const Json& request, const std::map<LeafPath, Resources>& free) {
  const auto made = RequestOf(request);
  if (!made) return absl::nullopt;
  std::map<LeafPath, int64_t> seats;
  for (const auto& [path, left] : free) {
    seats[path] = std::min<int64_t>(PodsThatFit(left, PerPod(request)), request.at("count").get<int64_t>());
  }
  const Cluster cluster = SeatsOf(LevelsOf(peer_case), seats);
  const placement::Decision decision = placement::Place(*made, cluster);
  const auto* placed = std::get_if<placement::Placed>(&decision);
  if (placed == nullptr) return absl::nullopt;
  if (!placement::SlicesHold(placement::SliceRulesOf(*made, *cluster.topology), *cluster.topology, placed->units)) {
    throw std::runtime_error("a slice is broken");
  }
  return CountLeaves(cluster, placed->units);
}

bool SameDomain(const LeafPath& a, const LeafPath& b, size_t levels) {
  return std::equal(a.begin(), a.begin() + static_cast<ptrdiff_t>(levels), b.begin());
}

size_t LevelIndex(const Json& peer_case, const Json& level) {
  const std::vector<std::string> levels = LevelsOf(peer_case);
  return static_cast<size_t>(std::find(levels.begin(), levels.end(), level.get<std::string>()) - levels.begin());
}

struct Pair {
  Counts leader;
  Counts workers;
};

// A leader and its workers share the domain of the level that fits: each place for the leader is tried.
absl::optional<Pair> PlacePair(const Json& peer_case, const Json& leader, const Json& workers) {
  std::vector<size_t> shared = {0};  // how many levels both share, the first that works
  if (workers.at("level").is_string()) {
    shared.clear();
    for (size_t level = LevelIndex(peer_case, workers.at("level")) + 1; level > 0; --level) shared.push_back(level);
    if (workers.at("mode") == "required") shared.resize(1);
    if (workers.at("mode") == "preferred") shared.push_back(0);
  }
  const std::map<LeafPath, Resources> for_leader = FreeByLeaf(peer_case, leader);
  for (const size_t levels : shared) {
    absl::optional<Pair> best;
    for (const auto& [seat, left] : for_leader) {
      if (PodsThatFit(left, PerPod(leader)) < 1) continue;
      std::map<LeafPath, Resources> free;
      for (const auto& [path, resources] : FreeByLeaf(peer_case, workers)) {
        if (SameDomain(path, seat, levels)) free.emplace(path, resources);
      }
      if (free.count(seat) > 0) Take(free[seat], PerPod(leader), 1);
      const auto placed = PlaceOne(peer_case, workers, free);
      if (!placed || (best && SpreadOf(best->workers) <= SpreadOf(*placed))) continue;
      best = Pair{{{seat, 1}}, *placed};
    }
    if (best) return best;
  }
  return absl::nullopt;
}

void CheckSpread(const Json& peer_case, const Counts& counts, const Json& expected, Differences& differences) {
  std::vector<int64_t> theirs;
  for (const std::string& level : LevelsOf(peer_case)) {
    if (expected.at("spread").contains(level)) theirs.push_back(expected.at("spread").at(level));
  }
  std::vector<int64_t> ours = SpreadOf(counts);
  // The peer tells the levels of its assignment, the finest ones.
  ours.erase(ours.begin(), ours.end() - static_cast<ptrdiff_t>(std::min(ours.size(), theirs.size())));
  if (ours > theirs) differences.Add("spread", absl::StrCat(Json(ours).dump(), " is worse than ", Json(theirs).dump()));
}

// The deepest level, not below the requested one, with one domain.
Json FitLevel(const Json& peer_case, const Json& request, const Counts& counts) {
  const std::vector<std::string> levels = LevelsOf(peer_case);
  const std::vector<int64_t> spread = SpreadOf(counts);
  size_t below = request.at("level").is_string() ? LevelIndex(peer_case, request.at("level")) + 1 : levels.size();
  for (; below > 0; --below) {
    if (spread[below - 1] == 1) return levels[below - 1];
  }
  return {};
}

// `together`: where a leader and its workers are, who share the domain of the level that fits; else as `counts`.
void CheckAnswer(const Json& peer_case, const Json& request, const absl::optional<Counts>& counts,
                 const absl::optional<Counts>& together, const Json& expected, PeerCase& result) {
  Differences& differences = result.differences;
  const std::string name = request.at("name");
  const bool balanced = request.value("algorithm", "") == "balanced";
  for (const Json& word : expected.at("must")) {
    if (word == "feasible") {
      differences.Expect(absl::StrCat(name, ".feasible"), expected.at("feasible"), counts.has_value());
    } else if (word == "reason") {
      // Muster tells it in words; that it is infeasible at all is compared above.
    } else if (!counts) {
      return;
    } else if (word == "fit_level") {
      const Json fit = FitLevel(peer_case, request, *together);
      if (balanced && fit != expected.at("fit_level")) {
        result.decided = kBalanced;
      } else {
        differences.Expect(absl::StrCat(name, ".fit_level"), expected.at("fit_level"), fit);
      }
    } else if (word == "spread") {
      CheckSpread(peer_case, *counts, expected, differences);
    } else if (word == "counts") {
      std::vector<int64_t> ours;
      for (const auto& [path, count] : *counts) ours.push_back(count);
      std::sort(ours.rbegin(), ours.rend());
      if (balanced) {
        if (Json(ours) != expected.at("counts")) result.decided = kBalanced;
      } else {
        differences.Expect(absl::StrCat(name, ".counts"), expected.at("counts"), ours);
      }
    } else if (word == "preferred_weight") {
      result.decided = kSoftAffinity;
    } else {
      differences.Unknown(absl::StrCat("must: ", word.dump()));
    }
  }
}

void CheckPlace(Json peer_case, PeerCase& result) {
  const Json requests = peer_case.at("requests");
  const Json& expected = peer_case.at("expected");
  for (size_t i = 0; i < requests.size(); ++i) {
    const Json& request = requests[i];
    const bool pair = request.at("group").is_string() && i + 1 < requests.size() &&
                      requests[i + 1].at("group") == request.at("group");
    if (pair) {
      const bool leads = request.at("count") == 1;
      const Json& leader = leads ? request : requests[i + 1];
      const Json& workers = leads ? requests[i + 1] : request;
      const auto placed = PlacePair(peer_case, leader, workers);
      absl::optional<Counts> leader_at;
      absl::optional<Counts> workers_at;
      absl::optional<Counts> together;
      if (placed) {
        leader_at = placed->leader;
        workers_at = placed->workers;
        together = placed->workers;
        for (const auto& [path, count] : placed->leader) (*together)[path] += count;
      }
      CheckAnswer(peer_case, request, leads ? leader_at : workers_at, together, expected[i], result);
      CheckAnswer(peer_case, requests[i + 1], leads ? workers_at : leader_at, together, expected[i + 1], result);
      ++i;
      continue;
    }
    const auto counts = PlaceOne(peer_case, request, FreeByLeaf(peer_case, request));
    if (expected[i].value("reason", Json()) == "slice_level_above_request_level" && counts) {
      result.decided = kCoarseSlice;
      return;
    }
    CheckAnswer(peer_case, request, counts, counts, expected[i], result);
    if (!counts) return;  // the rest is not served
    for (const auto& [path, count] : *counts) {
      peer_case["usage"].push_back(
          {{"origin", "same_pool"}, {"domain", path}, {"per_pod", request.at("per_pod")}, {"count", count}});
    }
  }
}

// The leaf of a domain of the assignment, which may name its finest levels only; also of a node that counts no more.
LeafPath LeafOf(const Json& peer_case, const Json& levels, const LeafPath& values) {
  for (const Json& node : peer_case.at("nodes")) {
    bool same = true;
    for (size_t i = 0; i < levels.size(); ++i) {
      same = same && node.at("labels").value(levels[i].get<std::string>(), "") == values[i];
    }
    if (!same) continue;
    LeafPath path;
    for (const std::string& level : LevelsOf(peer_case)) path.push_back(node.at("labels").value(level, ""));
    return path;
  }
  LeafPath path(LevelsOf(peer_case).size() - values.size());
  path.insert(path.end(), values.begin(), values.end());
  return path;
}

// What is left of a gang that lost nodes, as places: its units on survivors, then the vacated ones.
struct Remains {
  Cluster cluster;
  std::vector<NodeIndex> units;
  std::vector<int32_t> vacated;
  Counts surviving;
};

Remains RemainsOf(const Json& peer_case, const Json& request) {
  const Json& existing = peer_case.at("existing");
  const Json& assignment = existing.at("assignments").at(0).at("assignment");
  std::map<LeafPath, int64_t> seats;
  for (const auto& [path, left] : FreeByLeaf(peer_case, request)) seats[path] = PodsThatFit(left, PerPod(request));
  std::vector<std::pair<LeafPath, bool>> pods;  // by rank; whether its node is lost
  std::map<LeafPath, int64_t> held;
  for (const Json& domain : assignment.at("domains")) {
    const LeafPath values = domain.at("values").get<LeafPath>();
    const LeafPath leaf = LeafOf(peer_case, assignment.at("levels"), values);
    const Json& ill = existing.at("unhealthy_nodes");
    const bool lost = std::find(ill.begin(), ill.end(), values.back()) != ill.end();
    for (int64_t i = 0; i < domain.at("count").get<int64_t>(); ++i) {
      pods.emplace_back(leaf, lost);
      ++held[leaf];
    }
  }
  for (const auto& [leaf, count] : held) seats[leaf] = std::max(seats[leaf], count);
  Remains remains;
  remains.cluster = SeatsOf(LevelsOf(peer_case), seats);
  std::map<LeafPath, int64_t> taken;
  for (const auto& [leaf, lost] : pods) {
    const std::string name = absl::StrCat(absl::StrJoin(leaf, "/"), "#", taken[leaf]++);
    const NodeIndex node = *remains.cluster.topology->Find(name);
    remains.cluster.state_of(node).free = false;
    if (lost) {
      remains.cluster.state_of(node).ok = false;
      remains.vacated.push_back(static_cast<int32_t>(remains.units.size()));
    } else {
      ++remains.surviving[leaf];
    }
    remains.units.push_back(node);
  }
  return remains;
}

void CheckReplace(const Json& peer_case, PeerCase& result) {
  const Json& request = peer_case.at("requests").at(0);
  const Json& expected = peer_case.at("expected").at(0);
  const auto made = RequestOf(request);
  if (!made) return result.differences.Add("request", "isn't a valid job");
  const Remains remains = RemainsOf(peer_case, request);
  const placement::RepairRequest repair{&*made, remains.units, remains.vacated, {}};
  const placement::Decision decision = placement::Repair(
      repair, remains.cluster, placement::HopCosts::Default(remains.cluster.topology->tiers().size()));
  const auto* placed = std::get_if<placement::Placed>(&decision);
  for (const Json& word : expected.at("must")) {
    if (word == "feasible") {
      result.differences.Expect("feasible", expected.at("feasible"), placed != nullptr);
    } else if (word == "kept" && placed != nullptr) {
      Counts counts = CountLeaves(remains.cluster, placed->units);
      for (const auto& [leaf, count] : remains.surviving) {
        if (counts[leaf] < count) result.differences.Add("kept", absl::StrCat(absl::StrJoin(leaf, "/"), " lost pods"));
      }
    } else if (word == "assignment") {
      result.decided = kSinglePod;
    }
  }
}

}  // namespace

void CheckKueueTas(const Json& peer_case, const std::string&, PeerCase& result) {
  const std::string kind = peer_case.at("kind");
  if (kind == "place") {
    CheckPlace(peer_case, result);
  } else if (kind == "replace") {
    CheckReplace(peer_case, result);
  } else {
    result.out_of_scope = absl::StrCat("no job field offers \"", kind, "\"");
  }
}

}  // namespace muster::conformance
