#include "tests/conformance/torch_tables.h"

#include <stdexcept>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/mesh/device_mesh.h"
#include "lib/mesh/refusal.h"
#include "tests/conformance/family_table.h"
#include "tests/conformance/nested_ranks.h"

namespace muster::conformance {
namespace {

using mesh::DeviceMesh;
using mesh::GroupOrder;
using Names = std::vector<std::string>;

absl::StatusOr<DeviceMesh> MeshOf(const Json& args) {
  const int64_t world = args.contains("world") ? args.at("world").get<int64_t>() : -1;
  const Names names = args.contains("names") && !args.at("names").is_null() ? args.at("names").get<Names>() : Names();
  if (args.contains("mesh")) {
    absl::StatusOr<mesh::RankArray> ranks = mesh::ArrayOf(NestedOf(args.at("mesh")));
    if (!ranks.ok()) return ranks.status();
    return DeviceMesh::OfRanks(*std::move(ranks), names, world);
  }
  return DeviceMesh::Init(args.value("device_type", "cuda"), args.at("shape").get<std::vector<int64_t>>(), names,
                          world);
}

void CompareDim(absl::string_view path, const Json& golden, const DeviceMesh& mesh, size_t dim,
                Differences& differences) {
  const Table table = TableOf(mesh.Along(dim, GroupOrder::kComplement));
  const Table older = TableOf(mesh.Along(dim, GroupOrder::kSwapDims));
  CompareTable(path, golden, table, differences);
  for (const auto& [key, value] : golden.items()) {
    const std::string field = absl::StrCat(path, ".", key);
    if (IsTableKey(key)) continue;
    if (key == "order_swapdims_same") {
      differences.Expect(field, value, table == older);
    } else if (key == "sha256_swapdims") {
      differences.Expect(field, value, Sha256Hex(CanonicalText(older)));
    } else if (key == "groups_swapdims") {
      differences.Expect(field, value, Json(older));
    } else {
      differences.Unknown(field);
    }
  }
}

void CompareDims(const Json& golden, const DeviceMesh& mesh, Differences& differences) {
  differences.Expect("dims (how many)", golden.size(), mesh.ndim());
  for (size_t dim = 0; dim < mesh.ndim(); ++dim) {
    const std::string& name = mesh.names()[dim];
    const std::string path = absl::StrCat("dims.", name);
    if (!golden.contains(name)) {
      differences.Add(path, "computed, not in the golden file");
    } else {
      CompareDim(path, golden.at(name), mesh, dim, differences);
    }
  }
}

void CompareDerived(const Json& golden, const DeviceMesh& mesh, Differences& differences) {
  for (const auto& [key, value] : golden.items()) {
    const std::string path = absl::StrCat("derived.", key);
    if (key == "size") {
      differences.Expect(path, value, mesh.size());
    } else if (key == "ndim") {
      differences.Expect(path, value, mesh.ndim());
    } else if (key == "strides") {
      Json strides = Json::array();
      for (size_t dim = 0; dim < mesh.ndim(); ++dim) strides.push_back(mesh.stride(dim));
      differences.Expect(path, value, strides);
    } else {
      differences.Unknown(path);
    }
  }
}

// One entry of `slices` or `flattened`: names, then a table, whole_mesh or error.
void CompareSlice(absl::string_view path, const Json& golden, const DeviceMesh& mesh,
                  const absl::StatusOr<mesh::Family>& family, Differences& differences) {
  const Names names = golden.at("names").get<Names>();
  const bool whole = family.ok() && mesh.IsWholeMesh(names);
  if (golden.contains("error")) {
    CompareRefusal(golden, family.ok() ? "" : mesh::RuleOf(family.status()), std::string(family.status().message()),
                   differences);
    return;
  }
  if (!family.ok()) {
    return differences.Add(
        path, absl::StrCat("refused: ", mesh::RuleOf(family.status()), " (", family.status().message(), ")"));
  }
  if (golden.contains("n")) CompareTable(path, golden, TableOf(*family), differences);
  for (const auto& [key, value] : golden.items()) {
    const std::string field = absl::StrCat(path, ".", key);
    if (IsTableKey(key) || key == "names") continue;
    if (key == "whole_mesh") {
      differences.Expect(field, value, whole);
    } else if (key == "flat_name") {
      differences.Expect(field, value, std::string(family->name()));
    } else if (key == "shape") {
      Json shape = Json::array();
      for (const std::string& name : names) {
        for (size_t dim = 0; dim < mesh.ndim(); ++dim) {
          if (mesh.names()[dim] == name) shape.push_back(mesh.size(dim));
        }
      }
      differences.Expect(field, value, shape);
    } else {
      differences.Unknown(field);
    }
  }
}

void CompareCoordinates(const Json& golden, const DeviceMesh& mesh, Differences& differences) {
  for (const auto& [key, value] : golden.items()) {
    int64_t rank = 0;
    if (!absl::SimpleAtoi(key, &rank)) throw std::invalid_argument(absl::StrCat("'", key, "' is not a rank"));
    const auto coordinate = mesh.Coordinate(rank);
    differences.Expect(absl::StrCat("coordinate.", key), value, coordinate ? Json(*coordinate) : Json());
  }
}

void CompareMesh(const Json& config, DeviceMesh& mesh, Differences& differences) {
  for (const auto& [key, value] : config.items()) {
    if (key == "id" || key == "kind" || key == "args" || key == "ok" || key == "seed") continue;
    if (key == "derived") {
      CompareDerived(value, mesh, differences);
    } else if (key == "dims") {
      CompareDims(value, mesh, differences);
    } else if (key == "coordinate") {
      CompareCoordinates(value, mesh, differences);
    } else if (key == "default_group_reused") {
      differences.Expect(key, value, mesh.ndim() > 0 && mesh.ReusesDefaultGroup(0, GroupOrder::kSwapDims));
    } else if (key == "slices") {
      for (size_t i = 0; i < value.size(); ++i) {
        CompareSlice(absl::StrCat("slices[", i, "]"), value[i], mesh, mesh.Slice(value[i].at("names").get<Names>()),
                     differences);
      }
    } else if (key == "flattened") {
      for (size_t i = 0; i < value.size(); ++i) {
        CompareSlice(absl::StrCat("flattened[", i, "]"), value[i], mesh,
                     mesh.Flatten(value[i].at("names").get<Names>()), differences);
      }
    } else {
      differences.Unknown(key);
    }
  }
}

absl::Status Run(const Json& config, Differences& differences) {
  const std::string kind = config.at("kind").get<std::string>();
  const Json& args = config.at("args");
  absl::StatusOr<DeviceMesh> mesh = MeshOf(args);
  if (!mesh.ok()) return mesh.status();
  if (kind == "init_device_mesh" || kind == "device_mesh") {
    if (config.at("ok")) CompareMesh(config, *mesh, differences);
    return absl::OkStatus();
  }
  if (args.contains("earlier")) {
    for (const auto& [name, dims] : args.at("earlier").items()) {
      const auto earlier = mesh->Flatten(dims.get<Names>(), name);
      if (!earlier.ok()) return earlier.status();
    }
  }
  if (kind == "slice") {
    const Json& names = args.at("slice");
    return mesh->Slice(names.is_string() ? Names{names.get<std::string>()} : names.get<Names>()).status();
  }
  if (kind == "flatten") {
    return mesh->Flatten(args.at("flatten").get<Names>(), args.value("flat_name", "")).status();
  }
  if (kind != "get_group") throw std::invalid_argument(absl::StrCat("kind ", kind, " is unknown"));
  if (!args.contains("dim") || args.at("dim").is_null()) {
    return mesh->GroupsOf(absl::nullopt, GroupOrder::kComplement).status();
  }
  const std::string dim = args.at("dim").get<std::string>();
  return mesh->GroupsOf(absl::string_view(dim), GroupOrder::kComplement).status();
}

}  // namespace

void CompareTorch(const Json& config, mesh::Compat, Differences& differences) {  // a DeviceMesh is the same in both
  const absl::Status status = Run(config, differences);
  if (!config.at("ok")) {
    CompareRefusal(config, mesh::RuleOf(status), std::string(status.message()), differences);
  } else if (!status.ok()) {
    differences.Add("ok", absl::StrCat("golden true, computed ", mesh::RuleOf(status), " (", status.message(), ")"));
  }
}

}  // namespace muster::conformance
