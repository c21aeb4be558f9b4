#include "tests/conformance/nemo_tables.h"

#include <map>
#include <stdexcept>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/named_sharding.h"
#include "lib/mesh/nemo_dispatch.h"
#include "lib/mesh/nemo_policy.h"
#include "lib/mesh/refusal.h"
#include "tests/conformance/family_table.h"
#include "tests/conformance/nested_ranks.h"

namespace muster::conformance {
namespace {

using mesh::NamedSharding;
using Names = std::vector<std::string>;

NamedSharding::Where WhereOf(const Json& where) {
  NamedSharding::Where found;
  for (const auto& [axis, index] : where.items()) found[axis] = index.get<int64_t>();
  return found;
}

absl::StatusOr<NamedSharding> ShardingOf(const Json& args, mesh::Compat compat) {
  const Names names = args.at("names").get<Names>();
  if (!args.contains("layout"))
    return NamedSharding::OfShape(names, args.at("shape").get<std::vector<int64_t>>(), compat);
  absl::StatusOr<mesh::RankArray> layout = mesh::ArrayOf(NestedOf(args.at("layout")));
  if (!layout.ok()) return layout.status();
  return NamedSharding::OfLayout(names, *std::move(layout), compat);
}

// All workers, ascending.
Ranks Workers(const NamedSharding& sharding) { return *sharding.RanksByCoordinate({}); }

void CompareRankSlices(const Json& golden, const NamedSharding& sharding, Differences& differences) {
  for (const auto& [axis, value] : golden.items()) {
    const std::string path = absl::StrCat("get_ranks.", axis);
    const auto slices = sharding.Slices(axis);
    if (!slices.ok()) {
      differences.Add(path, absl::StrCat("refused: ", slices.status().message()));
      continue;
    }
    CompareTable(path, value, TableOf(*slices), differences);
    Names left(sharding.names().begin(), sharding.names().end());
    left.erase(left.begin() + *sharding.AxisIndex(axis));
    for (const auto& [key, entry] : value.items()) {
      if (key == "left") {
        differences.Expect(absl::StrCat(path, ".left"), entry, left);
      } else if (!IsTableKey(key)) {
        differences.Unknown(absl::StrCat(path, ".", key));
      }
    }
  }
}

// The entry's `ranks` are those that `answer` gives for its `where`.
template <typename Answer>
void CompareWhere(absl::string_view path, const Json& golden, Answer answer, Differences& differences) {
  const auto ranks = answer(WhereOf(golden.at("where")));
  if (!ranks.ok()) return differences.Add(path, absl::StrCat("refused: ", ranks.status().message()));
  CompareRanks(absl::StrCat(path, ".ranks"), golden.at("ranks"), *ranks, differences);
  for (const auto& [key, value] : golden.items()) {
    if (key != "where" && key != "ranks") differences.Unknown(absl::StrCat(path, ".", key));
  }
}

absl::StatusOr<Ranks> RanksOf(const NamedSharding& sharding, const NamedSharding::Where& where) {
  const absl::StatusOr<mesh::Group> group = sharding.Ranks(where);
  if (!group.ok()) return group.status();
  return group->Members();
}

Ranks Leaders(const NamedSharding& sharding) {
  Ranks leaders;
  for (int64_t worker : Workers(sharding)) {
    if (*sharding.IsLeader(worker, mesh::kLeaderAxes)) leaders.push_back(worker);
  }
  return leaders;
}

void CompareCoordinates(const Json& golden, const NamedSharding& sharding, Differences& differences) {
  for (const auto& [key, value] : golden.items()) {
    int64_t worker = 0;
    if (!absl::SimpleAtoi(key, &worker)) throw std::invalid_argument(absl::StrCat("'", key, "' is not a worker"));
    const auto coordinates = sharding.Coordinates(worker);
    differences.Expect(absl::StrCat("coords.", key), value,
                       coordinates.ok() ? Json(*coordinates) : Json(mesh::RuleOf(coordinates.status())));
  }
}

void CompareSharding(const Json& config, const NamedSharding& sharding, Differences& differences) {
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "derived") {
      differences.Expect(key, value, {{"shape", sharding.shape()}, {"size", sharding.size()}});
    } else if (key == "coords") {
      CompareCoordinates(value, sharding, differences);
    } else if (key == "get_ranks") {
      CompareRankSlices(value, sharding, differences);
    } else if (key == "get_ranks_pair") {
      CompareWhere(
          key, value, [&](const auto& where) { return RanksOf(sharding, where); }, differences);
    } else if (key == "by_coord") {
      for (size_t i = 0; i < value.size(); ++i) {
        CompareWhere(
            absl::StrCat("by_coord[", i, "]"), value[i],
            [&](const auto& where) { return sharding.RanksByCoordinate(where); }, differences);
      }
    } else if (key == "get_ranks_all_axes") {
      NamedSharding::Where last;
      for (const std::string& name : sharding.names()) last[name] = *sharding.AxisSize(name) - 1;
      const Ranks ranks = *RanksOf(sharding, last);
      differences.Expect(key, value, ranks.size() == 1 ? Json(ranks[0]) : Json(ranks));
    } else if (key == "leaders_on_default_replicated_axes") {
      CompareRanks(key, value, Leaders(sharding), differences);
    } else {
      differences.Unknown(key);
    }
  }
}

mesh::DispatchSpec DispatchSpecOf(const Json& args) {
  return {.sharded = args.value("sharded", Names()),
          .replicated = args.value("replicated", Names()),
          .output_replicated = args.value("output_replicated", Names()),
          .dummy_calls = args.value("dummy_calls", false)};
}

void CompareDispatch(const Json& config, const mesh::Dispatch& dispatch, const Ranks& workers,
                     Differences& differences) {
  Ranks called, returns;
  std::map<std::string, Ranks> slices;
  for (int64_t worker : workers) {
    const mesh::WorkerCall call = dispatch.CallOf(worker);
    if (call.called) called.push_back(worker);
    if (call.returns) returns.push_back(worker);
    if (call.called) slices[call.has_data ? absl::StrJoin(call.slice, "/") : "none"].push_back(worker);
  }
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "called") {
      CompareRanks(key, value, called, differences);
    } else if (key == "returns") {
      CompareRanks(key, value, returns, differences);
    } else if (key == "n_called") {
      differences.Expect(key, value, called.size());
    } else if (key == "n_returns") {
      differences.Expect(key, value, returns.size());
    } else if (key == "slices") {
      differences.Expect("slices (how many)", value.size(), slices.size());
      for (const auto& [path, golden] : value.items()) {
        CompareRanks(absl::StrCat("slices.", path), golden, slices[path], differences);
      }
    } else {
      differences.Unknown(key);
    }
  }
}

absl::Status RunPolicyWorld(const Json& config, Differences& differences) {
  const Json& args = config.at("args");
  const mesh::PolicyDegrees degrees{.pp = args.at("pp").get<int64_t>(),
                                    .cp = args.at("cp").get<int64_t>(),
                                    .tp = args.at("tp").get<int64_t>(),
                                    .gtp = args.value("gtp", int64_t{1})};
  const auto policy = mesh::PolicySharding(args.at("world").get<int64_t>(), degrees);
  if (!policy.ok() || !config.at("ok")) return policy.status();
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "derived") {
      differences.Expect(key, value, {{"dp", *policy->AxisSize(mesh::kDataParallel)}});
    } else if (key == "lanes") {
      CompareTable(key, value, TableOf(*policy->Slices(mesh::kDataParallel)), differences);
    } else {
      differences.Unknown(key);
    }
  }
  return absl::OkStatus();
}

// The outcome of the one call that the configuration makes.
absl::Status Call(const NamedSharding& sharding, const Json& call) {
  const std::string name = call.at(0).get<std::string>();
  const Json& argument = call.at(1);
  if (name == "get_ranks") return sharding.Ranks(WhereOf(argument)).status();
  if (name == "get_ranks_by_coord") return sharding.RanksByCoordinate(WhereOf(argument)).status();
  if (name == "get_worker_coords") return sharding.Coordinates(argument.get<int64_t>()).status();
  if (name == "get_axis_size") return sharding.AxisSize(argument.get<std::string>()).status();
  if (name == "get_axis_index") return sharding.AxisIndex(argument.get<std::string>()).status();
  throw std::invalid_argument(absl::StrCat("call ", name, " is unknown"));
}

absl::Status Run(const Json& config, mesh::Compat compat, Differences& differences) {
  const std::string kind = config.at("kind").get<std::string>();
  const Json& args = config.at("args");
  if (kind == "policy_world") return RunPolicyWorld(config, differences);
  const absl::StatusOr<NamedSharding> sharding = ShardingOf(args, compat);
  if (!sharding.ok()) return sharding.status();
  if (kind == "dispatch") {
    const auto dispatch = mesh::Dispatch::Create(*sharding, DispatchSpecOf(args), compat);
    if (dispatch.ok() && config.at("ok")) CompareDispatch(config, *dispatch, Workers(*sharding), differences);
    return dispatch.status();
  }
  if (kind == "sharding_call") return Call(*sharding, args.at("call"));
  if (kind != "sharding") throw std::invalid_argument(absl::StrCat("kind ", kind, " is unknown"));
  if (config.at("ok")) CompareSharding(config, *sharding, differences);
  return absl::OkStatus();
}

}  // namespace

void CompareNemo(const Json& config, mesh::Compat compat, Differences& differences) {
  const absl::Status status = Run(config, compat, differences);
  if (!config.at("ok")) {
    CompareRefusal(config, mesh::RuleOf(status), std::string(status.message()), differences);
  } else if (!status.ok()) {
    differences.Add("ok", absl::StrCat("golden true, computed ", mesh::RuleOf(status), " (", status.message(), ")"));
  }
}

}  // namespace muster::conformance
