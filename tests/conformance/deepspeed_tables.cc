#include "tests/conformance/deepspeed_tables.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/deepspeed_experts.h"
#include "lib/mesh/deepspeed_grid.h"
#include "lib/mesh/deepspeed_topology.h"
#include "lib/mesh/refusal.h"
#include "tests/conformance/family_table.h"

namespace muster::conformance {
namespace {

using mesh::DeepSpeedTopology;

constexpr absl::string_view kDefaultOmission[] = {"data", "pipe"};

DeepSpeedTopology::Where WhereOf(const Json& where) {
  DeepSpeedTopology::Where found;
  for (const auto& [axis, index] : where.items()) found[axis] = index.get<int64_t>();
  return found;
}

int64_t RankOf(const std::string& key) {
  int64_t rank = 0;
  if (!absl::SimpleAtoi(key, &rank)) throw std::invalid_argument(absl::StrCat("'", key, "' is not a rank"));
  return rank;
}

absl::StatusOr<DeepSpeedTopology> TopologyOf(const Json& args, mesh::Compat compat) {
  if (args.contains("axes")) {
    return DeepSpeedTopology::Create(args.at("axes").get<std::vector<std::string>>(),
                                     args.at("dims").get<std::vector<int64_t>>(), compat);
  }
  if (args.contains("num_mp")) {
    return DeepSpeedTopology::PipeModelData(args.at("num_pp").get<int64_t>(), args.at("num_mp").get<int64_t>(),
                                            args.at("num_dp").get<int64_t>());
  }
  if (args.contains("num_pp")) {
    return DeepSpeedTopology::PipeData(args.at("num_pp").get<int64_t>(), args.at("num_dp").get<int64_t>());
  }
  return DeepSpeedTopology::Default(args.at("world").get<int64_t>());
}

void CompareGrid(const Json& golden, const DeepSpeedTopology& topology, Differences& differences) {
  const absl::StatusOr<mesh::DeepSpeedGrid> grid = mesh::MakeDeepSpeedGrid(topology, topology.world());
  if (!grid.ok()) return differences.Add("grid", absl::StrCat("refused: ", grid.status().message()));
  const std::array<std::pair<absl::string_view, const mesh::Family*>, 5> tables = {{{"ds_model", &grid->ds_model},
                                                                                    {"data", &grid->data_groups},
                                                                                    {"pipe", &grid->pipe_groups},
                                                                                    {"slice", &grid->slice},
                                                                                    {"p2p_pairs", &grid->p2p_pairs}}};
  for (const auto& [key, value] : golden.items()) {
    const std::string path = absl::StrCat("grid.", key);
    if (key == "sizes") {
      differences.Expect(path, value, {{"pipe", grid->pipe}, {"data", grid->data}, {"model", grid->model}});
    } else if (key == "n_new_group_calls") {
      differences.Expect(path, value, grid->new_group_calls());
    } else if (key == "per_rank") {
      for (const auto& [rank_key, sample] : value.items()) {
        const int64_t rank = RankOf(rank_key);
        const auto& axes = topology.grid();
        const auto ds_model = grid->ds_model.GroupOf(rank);
        differences.Expect(absl::StrCat(path, ".", rank_key), sample,
                           {{"stage", axes.Coordinate(rank, *axes.Find("pipe"))},
                            {"data_id", axes.Coordinate(rank, *axes.Find("data"))},
                            {"ds_model_rank", ds_model ? ds_model->group_rank : -1},
                            {"stage_to_global", mesh::StagesOf(topology, rank).Members()}});
      }
    } else {
      bool known = false;
      for (const auto& [name, family] : tables) {
        if (name != key) continue;
        known = true;
        CompareTable(path, value, TableOf(*family), differences);
      }
      if (!known) differences.Unknown(path);
    }
  }
}

void CompareDerived(const Json& golden, const DeepSpeedTopology& topology, Differences& differences) {
  for (const auto& [key, value] : golden.items()) {
    const std::string path = absl::StrCat("derived.", key);
    std::vector<std::string> axes(topology.axes().begin(), topology.axes().end());
    if (key == "world") {
      differences.Expect(path, value, topology.world());
    } else if (key == "axes") {
      differences.Expect(path, value, axes);
    } else if (key == "dims") {
      Json dims = Json::array();
      for (const std::string& axis : axes) dims.push_back(topology.Dim(axis));
      differences.Expect(path, value, dims);
    } else if (key == "pipe" || key == "data") {
      differences.Expect(path, value, topology.Dim(key));
    } else if (key == "dim_of_unknown_axis") {
      differences.Expect(path, value, topology.Dim("no such axis"));
    } else if (key == "comm_lists_of_unknown_axis") {
      const auto lists = topology.CommLists("no such axis");
      differences.Expect(path, value, lists ? Json(TableOf(*lists)) : Json::array());
    } else {
      differences.Unknown(path);
    }
  }
}

void CompareSamples(absl::string_view field, const Json& golden, const DeepSpeedTopology& topology,
                    Differences& differences) {
  for (const auto& [key, value] : golden.items()) {
    const std::string path = absl::StrCat(field, ".", key);
    if (field == "coords") {
      const auto coordinates = topology.Coordinates(RankOf(key));
      differences.Expect(path, value, coordinates.ok() ? Json(*coordinates) : Json(mesh::RuleOf(coordinates.status())));
      continue;
    }
    const auto omit =
        field == "rank_repr" ? absl::MakeConstSpan(kDefaultOmission) : absl::Span<const absl::string_view>();
    const auto text = topology.RankText(RankOf(key), omit);
    differences.Expect(path, value, text.ok() ? Json(*text) : Json(mesh::RuleOf(text.status())));
  }
}

void CompareFilters(const Json& golden, const DeepSpeedTopology& topology, Differences& differences) {
  for (size_t i = 0; i < golden.size(); ++i) {
    const std::string path = absl::StrCat("filter_match[", i, "]");
    const auto match = topology.FilterMatch(WhereOf(golden[i].at("where")));
    if (!match.ok()) {
      differences.Add(path, absl::StrCat("refused: ", match.status().message()));
      continue;
    }
    CompareRanks(absl::StrCat(path, ".ranks"), golden[i].at("ranks"), *match ? (*match)->Members() : Ranks(),
                 differences);
    for (const auto& [key, value] : golden[i].items()) {
      if (key != "where" && key != "ranks") differences.Unknown(absl::StrCat(path, ".", key));
    }
  }
}

void CompareTopology(const Json& config, const DeepSpeedTopology& topology, Differences& differences) {
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "derived") {
      CompareDerived(value, topology, differences);
    } else if (key == "comm_lists" || key == "axis_lists") {
      std::vector<NamedTable> tables;
      for (const std::string& axis : topology.axes()) {
        tables.push_back(Named(axis, key == "comm_lists" ? *topology.CommLists(axis) : *topology.AxisLists(axis)));
      }
      CompareTables(key, value, tables, differences);
    } else if (key == "coords" || key == "rank_repr" || key == "rank_repr_omit_none") {
      CompareSamples(key, value, topology, differences);
    } else if (key == "filter_match") {
      CompareFilters(value, topology, differences);
    } else if (key == "grid") {
      CompareGrid(value, topology, differences);
    } else {
      differences.Unknown(key);
    }
  }
}

void CompareExperts(const Json& config, const mesh::ExpertFamilies& families, Differences& differences) {
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "groups") {
      CompareTables(key, value, {Named("ep", families.ep), Named("edp", families.edp)}, differences);
    } else if (key == "creation") {
      switch (families.creation) {
        case mesh::ExpertCreation::kExpertThenData:
          differences.Expect(key, value, "ep_then_edp");
          break;
        case mesh::ExpertCreation::kDataThenExpert:
          differences.Expect(key, value, "edp_then_ep");
          break;
        case mesh::ExpertCreation::kPerStageExpertThenData:
          differences.Expect(key, value, "per_stage_ep_then_edp");
          break;
      }
    } else {
      differences.Unknown(key);
    }
  }
}

mesh::ExpertRequest ExpertRequestOf(const Json& config) {
  const Json& args = config.at("args");
  auto degree = [&](const char* name) {
    return args.contains(name) && !args.at(name).is_null() ? args.at(name).get<int64_t>() : 1;
  };
  mesh::ExpertRequest request{.world = args.at("world").get<int64_t>(), .ep = args.at("ep").get<int64_t>()};
  request.pp = degree("pp");
  request.data_before_expert = args.value("data_before_expert", false);
  if (config.at("kind") == "expert_model_data") {
    request.tp = degree("tp");
    request.mode = mesh::ExpertMode::kModelData;
  } else {
    request.tp = degree("mp");
    request.mode = args.value("mode", "tp") == "tp" ? mesh::ExpertMode::kTensor : mesh::ExpertMode::kSequence;
  }
  return request;
}

// The outcome of the one call that the configuration makes.
absl::Status Call(const DeepSpeedTopology& topology, const Json& call) {
  const std::string name = call.at(0).get<std::string>();
  const Json& argument = call.at(1);
  if (name == "get_rank") return topology.RankAt(WhereOf(argument)).status();
  if (name == "get_coord") return topology.Coordinates(argument.get<int64_t>()).status();
  if (name == "get_rank_repr") return topology.RankText(argument.get<int64_t>(), kDefaultOmission).status();
  if (name == "filter_match") return topology.FilterMatch(WhereOf(argument)).status();
  if (name == "get_axis_list") {
    return topology.AxisLists((argument.is_array() ? argument.at(0) : argument).get<std::string>()).status();
  }
  throw std::invalid_argument(absl::StrCat("call ", name, " is unknown"));
}

// Runs the configuration until it is refused, comparing where it is not.
absl::Status Run(const Json& config, mesh::Compat compat, Differences& differences) {
  const std::string kind = config.at("kind").get<std::string>();
  const Json& args = config.at("args");
  if (kind == "expert_model_data" || kind == "expert_data") {
    const auto families = mesh::MakeExpertFamilies(ExpertRequestOf(config), compat);
    if (families.ok() && config.at("ok")) CompareExperts(config, *families, differences);
    return families.status();
  }
  if (kind == "tp_data") {
    const bool derived = !args.contains("dp") || args.at("dp").is_null();
    const auto families = mesh::MakeTensorDataFamilies(args.at("world").get<int64_t>(), args.at("tp").get<int64_t>(),
                                                       derived ? -1 : args.at("dp").get<int64_t>());
    if (families.ok() && config.at("ok")) {
      CompareTables("groups", config.at("groups"), {Named("dp", families->dp), Named("tp", families->tp)}, differences);
    }
    return families.status();
  }
  const absl::StatusOr<DeepSpeedTopology> topology = TopologyOf(args, compat);
  if (!topology.ok()) return topology.status();
  if (args.contains("call")) return Call(*topology, args.at("call"));
  if (kind == "grid") return mesh::MakeDeepSpeedGrid(*topology, args.at("world").get<int64_t>()).status();
  if (kind != "process_topology" && kind != "pipe_model_data" && kind != "pipe_data" && kind != "default_grid") {
    throw std::invalid_argument(absl::StrCat("kind ", kind, " is unknown"));
  }
  if (config.at("ok")) CompareTopology(config, *topology, differences);
  return absl::OkStatus();
}

}  // namespace

void CompareDeepSpeed(const Json& config, mesh::Compat compat, Differences& differences) {
  const absl::Status status = Run(config, compat, differences);
  if (!config.at("ok")) {
    CompareRefusal(config, mesh::RuleOf(status), std::string(status.message()), differences);
  } else if (!status.ok()) {
    differences.Add("ok", absl::StrCat("golden true, computed ", mesh::RuleOf(status), " (", status.message(), ")"));
  }
}

}  // namespace muster::conformance
