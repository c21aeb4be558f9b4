#include "tests/conformance/megatron_tables.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/mesh/creation.h"
#include "lib/mesh/make_mesh.h"
#include "lib/mesh/megatron_grid.h"
#include "lib/mesh/megatron_lane.h"
#include "lib/mesh/refusal.h"
#include "tests/conformance/family_table.h"
#include "tests/conformance/megatron_args.h"

namespace muster::conformance {
namespace {

using mesh::Compat;
using mesh::Family;
using mesh::Grid;
using mesh::Mesh;

std::string OrderOf(const Grid& grid) {
  return absl::StrJoin(grid.axes(), "-",
                       [](std::string* out, const mesh::Axis& axis) { absl::StrAppend(out, axis.name); });
}

Json SizesOf(const Grid& grid) {
  Json sizes = Json::array();
  for (const mesh::Axis& axis : grid.axes()) sizes.push_back(axis.size);
  return sizes;
}

int64_t SizeOf(const Grid& grid, absl::string_view axis) {
  const auto found = grid.Find(axis);
  return found ? grid.size(*found) : 1;
}

Json Derived(const Mesh& mesh) {
  return {{"dp", SizeOf(mesh.dense(), "dp")},        {"edp", SizeOf(*mesh.expert(), "dp")},
          {"dense_order", OrderOf(mesh.dense())},    {"dense_sizes", SizesOf(mesh.dense())},
          {"expert_order", OrderOf(*mesh.expert())}, {"expert_sizes", SizesOf(*mesh.expert())}};
}

Json Created(const Mesh& mesh) {
  Json names = Json::array();
  std::set<std::string> seen;
  mesh::ForEachCreation(mesh, [&](const mesh::GroupCreation& creation) {
    std::string name(creation.family.name());
    if (seen.insert(name).second) names.push_back(std::move(name));
  });
  return names;
}

std::string CreationText(const Mesh& mesh) {
  std::string text;
  mesh::ForEachCreation(mesh, [&](const mesh::GroupCreation& creation) {
    absl::string_view backend = creation.gloo_twin ? "gloo" : creation.family.backend();
    absl::StrAppend(&text, backend.empty() ? "default" : backend, "|",
                    absl::StrJoin(creation.family.group(creation.index).Members(), ","), "\n");
  });
  return text;
}

// Names of the families that have a property, sorted: the files list them as sets.
template <typename Property>
Json FamiliesWith(const Mesh& mesh, Property property) {
  std::vector<std::string> names;
  for (const Family& family : mesh.families()) {
    if (property(family)) names.emplace_back(family.name());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json Sorted(Json names) {
  std::sort(names.begin(), names.end());
  return names;
}

Json Lanes(const Mesh& mesh, absl::optional<mesh::Lane> (*lane_of)(const Mesh&, mesh::GlobalRank)) {
  Json lanes = Json::array();
  for (int64_t i = 0; i < mesh.world(); ++i) lanes.push_back(lane_of(mesh, mesh.first_rank() + i)->index);
  return lanes;
}

Json Placement(const Mesh& mesh) {
  constexpr int64_t kPerNode = 8;
  Json placement = Json::object();
  for (const Family& family : mesh.families()) {
    size_t max_nodes = 0, max_rails = 0;
    for (const Ranks& group : TableOf(family)) {
      std::set<int64_t> nodes, rails;
      for (int64_t rank : group) {
        nodes.insert(rank / kPerNode);
        rails.insert(rank % kPerNode);
      }
      max_nodes = std::max(max_nodes, nodes.size());
      max_rails = std::max(max_rails, rails.size());
    }
    placement[std::string(family.name())] = {{"max_nodes", max_nodes}, {"max_rails", max_rails}};
  }
  return placement;
}

std::vector<NamedTable> TablesOf(const Mesh& mesh) {
  std::vector<NamedTable> tables;
  for (const Family& family : mesh.families()) tables.push_back({std::string(family.name()), TableOf(family)});
  return tables;
}

Json Computed(const Mesh& mesh, absl::string_view field) {
  const int64_t first = mesh.first_rank();
  if (field == "derived") return Derived(mesh);
  if (field == "created") return Created(mesh);
  if (field == "n_new_group_calls") return mesh::CountCreations(mesh);
  if (field == "creation_sha256") return Sha256Hex(CreationText(mesh));
  if (field == "gloo_families") return FamiliesWith(mesh, [](const Family& f) { return f.gloo_twin(); });
  if (field == "collnet_families") return FamiliesWith(mesh, [](const Family& f) { return f.collnet(); });
  if (field == "data_parallel_rank") return Lanes(mesh, mesh::DataParallelLane);
  if (field == "data_parallel_world_size") return mesh::DataParallelLane(mesh, first)->count;
  if (field == "replicate_rank") return Lanes(mesh, mesh::ReplicaLane);
  if (field == "replicate_world_size") return mesh::ReplicaLane(mesh, first)->count;
  if (field == "placement_8_per_node") return Placement(mesh);
  return nullptr;
}

bool IsInput(absl::string_view key) {
  return key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed" || key == "error" ||
         key == "upstream_commit";
}

void CompareInitialize(const Json& config, const Mesh& mesh, Differences& differences) {
  for (const auto& [key, golden] : config.items()) {
    if (IsInput(key)) continue;
    if (key == "families") {
      CompareTables(key, golden, TablesOf(mesh), differences);
      continue;
    }
    const Json computed = Computed(mesh, key);
    if (computed.is_null()) {
      differences.Unknown(key);
    } else {
      differences.Expect(key, absl::EndsWith(key, "_families") ? Sorted(golden) : golden, computed);
    }
  }
  // A list that would be empty is left out; entries of an older commit leave out more.
  if (config.contains("upstream_commit")) return;
  for (const char* key : {"gloo_families", "collnet_families"}) {
    if (!config.contains(key)) differences.Expect(key, Json::array(), Computed(mesh, key));
  }
}

void CompareAllGather(const Json& config, const Mesh& mesh, Differences& differences) {
  std::vector<NamedTable> twins = TablesOf(mesh);
  twins.erase(std::remove_if(twins.begin(), twins.end(),
                             [](const NamedTable& table) { return !absl::EndsWith(table.name, "_ag"); }),
              twins.end());
  for (const auto& [key, golden] : config.items()) {
    if (key == "families") {
      CompareTables(key, golden, twins, differences);
    } else if (!IsInput(key)) {
      differences.Unknown(key);
    }
  }
}

void CompareTokens(const Json& golden, const mesh::MegatronGrid& grid, Differences& differences) {
  Json accepted = Json::object();
  std::vector<NamedTable> tables;
  for (const auto& [token, value] : golden.items()) {
    const std::vector<std::string> names = absl::StrSplit(token, '-');
    const auto layout = grid.Groups(std::vector<absl::string_view>(names.begin(), names.end()));
    if (value.contains("error")) {
      if (const std::string rule = mesh::RuleOf(layout.status()); rule != value["error"].at("rule")) {
        differences.Expect(absl::StrCat("tokens.", token, ".error.rule"), value["error"].at("rule"), rule);
      }
      continue;
    }
    accepted[token] = value;
    if (layout.ok()) tables.push_back({token, TableOf(Family(token, *layout))});
  }
  CompareTables("tokens", accepted, tables, differences);
}

void CompareRankGenerator(const Json& config, Compat compat, Differences& differences) {
  const Json& args = config.at("args");
  const mesh::MegatronSizes sizes{.tp = args.at("tp").get<int64_t>(),
                                  .pp = args.at("pp").get<int64_t>(),
                                  .dp = args.at("dp").get<int64_t>(),
                                  .ep = args.at("ep").get<int64_t>(),
                                  .cp = args.at("cp").get<int64_t>(),
                                  .gtp = args.value("gtp", int64_t{1})};
  const auto grid = mesh::MegatronGrid::Create(args.at("order").get<std::string>(), sizes,
                                               args.value("rank_offset", int64_t{0}), compat);
  if (!config.at("ok").get<bool>()) {
    return CompareRefusal(config, mesh::RuleOf(grid.status()), grid.status().message(), differences);
  }
  if (!grid.ok()) return differences.Add("ok", absl::StrCat("refused: ", grid.status().message()));
  for (const auto& [key, golden] : config.items()) {
    if (IsInput(key)) continue;
    if (key == "derived") {
      differences.Expect(
          key, golden, {{"world", grid->world()}, {"order", OrderOf(grid->grid())}, {"sizes", SizesOf(grid->grid())}});
    } else if (key == "tokens") {
      CompareTokens(golden, *grid, differences);
    } else {
      differences.Unknown(key);
    }
  }
}

}  // namespace

void CompareMegatron(const Json& config, mesh::Compat compat, Differences& differences) {
  const std::string kind = config.at("kind").get<std::string>();
  if (kind == "rank_generator") return CompareRankGenerator(config, compat, differences);
  if (kind != "initialize" && kind != "all_gather_groups") return differences.Unknown(absl::StrCat("kind ", kind));
  const mesh::MeshSpec spec{.compat = compat, .dialect = MegatronSpecOf(config)};
  const auto mesh = mesh::MakeMesh(spec, config.at("args").at("world").get<int64_t>());
  if (!config.at("ok").get<bool>()) {
    return CompareRefusal(config, mesh::RuleOf(mesh.status()), mesh.status().message(), differences);
  }
  if (!mesh.ok()) return differences.Add("ok", absl::StrCat("refused: ", mesh.status().message()));
  if (kind == "initialize") return CompareInitialize(config, **mesh, differences);
  CompareAllGather(config, **mesh, differences);
}

}  // namespace muster::conformance
