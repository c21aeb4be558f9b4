#include "tests/benchmarks/placement/instance.h"

#include <exception>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/mesh/family.h"
#include "lib/mesh/grid.h"
#include "nlohmann/json.hpp"

namespace muster::placement {
namespace {

using Json = nlohmann::json;

struct Nodes {
  std::vector<v1::Node> nodes;
  std::set<std::string> names;
};

Nodes NodesOf(const Json& json, const std::vector<std::string>& levels) {
  Nodes read;
  for (const Json& group : json.at("groups")) {
    std::set<std::string> busy;
    if (group.contains("unavailable")) {
      for (const Json& name : group.at("unavailable")) busy.insert(name.get<std::string>());
    }
    for (const Json& name : group.at("nodes")) {
      v1::Node node;
      node.mutable_info()->set_name(name.get<std::string>());
      (*node.mutable_info()->mutable_capacity())["gpu"] = group.at("gpus").get<int64_t>();
      for (size_t i = 0; i < levels.size(); ++i) {
        const Json& label = group.at("labels").at(i);
        if (label.is_string() && !label.get<std::string>().empty()) {
          (*node.mutable_info()->mutable_labels())[levels[i]] = label.get<std::string>();
        }
      }
      if (busy.count(node.info().name()) > 0) node.set_use(v1::ASSIGNED);
      read.names.insert(node.info().name());
      read.nodes.push_back(std::move(node));
    }
  }
  return read;
}

HopCosts CostsOf(const Json& json) {
  HopCosts costs;
  costs.same_rail = json.at("same_rail").get<std::vector<int64_t>>();
  if (json.contains("cross_rail") && !json.at("cross_rail").is_null()) {
    costs.cross_rail = json.at("cross_rail").get<std::vector<int64_t>>();
  }
  return costs;
}

v1::TrafficItem::Pattern PatternOf(const std::string& name) {
  if (name == "chain") return v1::TrafficItem::CHAIN;
  return name == "all_pairs" ? v1::TrafficItem::ALL_PAIRS : v1::TrafficItem::RING;
}

v1::JobSpec SpecOf(const Json& job) {
  v1::JobSpec spec;
  spec.set_members(job.at("nodes").get<int32_t>());
  spec.set_workers_per_member(job.at("gpus_per_node").get<int32_t>());
  v1::PlacementSpec& placement = *spec.mutable_placement();
  const auto given = [&](const char* field) { return job.contains(field) && !job.at(field).is_null(); };
  if (given("required")) placement.set_required(job.at("required").get<std::string>());
  if (given("preferred")) placement.set_preferred(job.at("preferred").at("level").get<std::string>());
  if (given("slices")) {
    for (const Json& part : job.at("slices")) {
      v1::PlacementSpec::Slice& slice = *placement.add_slices();
      slice.set_size(part.at("size").get<int32_t>());
      slice.set_tier(part.at("level").get<std::string>());
    }
  }
  if (given("spares")) placement.set_spares(job.at("spares").at("count").get<int32_t>());
  return spec;
}

bool ShapeHolds(const Json& job) {
  const auto world = job.at("nodes").get<int64_t>() * job.at("gpus_per_node").get<int64_t>();
  for (const auto& [name, axes] : job.at("grids").items()) {
    int64_t product = 1;
    for (const Json& axis : axes) product *= axis.at(1).get<int64_t>();
    if (product != world) return false;
  }
  if (!job.contains("slices") || job.at("slices").is_null()) return true;
  for (const Json& part : job.at("slices")) {
    if (job.at("nodes").get<int64_t>() % part.at("size").get<int64_t>() != 0) return false;
  }
  return true;
}

absl::StatusOr<UnitTraffic> TrafficOf(const Json& job) {
  std::map<std::string, mesh::Grid> grids;
  for (const auto& [name, axes] : job.at("grids").items()) {
    std::vector<mesh::Axis> made;
    for (const Json& axis : axes) made.push_back({axis.at(0).get<std::string>(), axis.at(1).get<int64_t>()});
    auto grid = mesh::Grid::Create(std::move(made));
    if (!grid.ok()) return grid.status();
    grids.emplace(name, *std::move(grid));
  }
  std::vector<mesh::Family> families;
  std::vector<Talk> talks;
  for (const Json& item : job.at("traffic")) {
    const mesh::Grid& grid = grids.at(item.at("grid").get<std::string>());
    mesh::AxisSet axes;
    for (const Json& axis : item.at("axes")) {
      if (const auto found = grid.Find(axis.get<std::string>())) axes.set(*found);
    }
    families.emplace_back(item.at("name").get<std::string>(), mesh::GridLayout(grid, axes));
    talks.push_back({item.at("name").get<std::string>(), nullptr, PatternOf(item.at("pattern").get<std::string>()),
                     item.at("weight").get<int64_t>()});
  }
  for (size_t i = 0; i < talks.size(); ++i) talks[i].family = &families[i];
  const auto workers = job.at("gpus_per_node").get<int64_t>();
  return UnitTraffic::Of(World{0, job.at("nodes").get<int64_t>() * workers}, talks, workers);
}

absl::Status ReadJob(const Json& job, const std::string& name, Instance& instance) {
  if (!ShapeHolds(job)) return absl::OkStatus();
  auto request = RequestOf(name, SpecOf(job), nullptr);
  if (!request.ok()) return request.status();
  auto traffic = TrafficOf(job);
  if (!traffic.ok()) return traffic.status();
  request->traffic = *std::move(traffic);
  if (request->spec.placement().preferred().size() > 0) {
    request->preferred_penalty = job.at("preferred").at("penalty").get<int64_t>();
  }
  if (request->spec.placement().spares() > 0) request->spare_weight = job.at("spares").at("weight").get<int64_t>();
  if (job.contains("pinned") && !job.at("pinned").is_null()) {
    int32_t unit = 0;
    for (const Json& node : job.at("pinned")) {
      absl::optional<NodeIndex> found;
      if (node.is_string()) found = instance.cluster.topology->Find(node.get<std::string>());
      if (!found) instance.vacated.push_back(unit);
      instance.pinned.push_back(found.value_or(NodeIndex(-1)));
      ++unit;
    }
  }
  instance.request = *std::move(request);
  return absl::OkStatus();
}

void ReadBest(const Json& json, Instance& instance) {
  if (json.contains("best") && json.at("best").contains("feasible")) {
    const Json& best = json.at("best");
    instance.best.known = true;
    instance.best.feasible = best.at("feasible").get<bool>();
    if (!instance.best.feasible) {
      instance.best.reason = best.at("reason").get<std::string>();
    } else {
      instance.best.cost = best.at("cost").get<int64_t>();
      instance.best.lower_bound = best.value("lower_bound", int64_t{0});
      instance.best.frag = best.value("frag", int64_t{0});
    }
  }
  if (!json.contains("baselines")) return;
  for (const auto& [rule, value] : json.at("baselines").items()) {
    if (value.is_object() && value.contains("cost") && !value.at("cost").is_null()) {
      instance.baselines[rule] = value.at("cost").get<int64_t>();
    }
  }
}

}  // namespace

absl::StatusOr<Instance> ReadInstance(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Instance instance;
    instance.name = json.at("name").get<std::string>();
    instance.kind = json.value("class", "");
    const auto levels = json.at("levels").get<std::vector<std::string>>();
    auto tiers = Tiers::FromLabels(levels);
    if (!tiers.ok()) return tiers.status();
    Nodes read = NodesOf(json, levels);
    if (read.names.size() != read.nodes.size()) return absl::InvalidArgumentError("groups: a node is named twice");
    auto cluster = MakeCluster(*tiers, read.nodes);
    if (!cluster.ok()) return cluster.status();
    instance.cluster = *std::move(cluster);
    instance.costs = CostsOf(json.at("hop_cost"));
    if (absl::Status status = ReadJob(json.at("job"), instance.name, instance); !status.ok()) return status;
    ReadBest(json, instance);
    return instance;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

}  // namespace muster::placement
