#include "lib/selftest/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"

namespace muster::selftest {
namespace {

// Changes of a bandwidth below this share are noise.
constexpr double kNotable = 0.05;

// Lower is more telling.
enum Weight { kVerdict, kShape, kPlacement, kSurroundings, kBandwidth, kAnnotation };

class Differences {
 public:
  void Text(Weight weight, const std::string& field, const std::string& left, const std::string& right) {
    if (left != right) Add(weight, 0, field, left, right, absl::nullopt);
  }

  void Number(Weight weight, const std::string& field, double left, double right, double notable = 0) {
    if (left == right) return;
    absl::optional<double> ratio;
    if (left != 0) ratio = right / left;
    if (ratio && std::abs(*ratio - 1) < notable) return;
    const double size = ratio && *ratio > 0 ? std::abs(std::log(*ratio)) : HUGE_VAL;
    Add(weight, size, field, absl::StrFormat("%.6g", left), absl::StrFormat("%.6g", right), ratio);
  }

  template <typename Map>
  void Maps(Weight weight, const std::string& prefix, const Map& left, const Map& right) {
    std::set<std::string> keys;
    for (const auto& [key, value] : left) keys.insert(key);
    for (const auto& [key, value] : right) keys.insert(key);
    const auto at = [](const Map& map, const std::string& key) {
      const auto it = map.find(key);
      return it == map.end() ? std::string() : it->second;
    };
    for (const std::string& key : keys) Text(weight, absl::StrCat(prefix, ".", key), at(left, key), at(right, key));
  }

  std::vector<v1::ReceiptDifference> Take() && {
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return std::make_tuple(a.weight, -a.size) < std::make_tuple(b.weight, -b.size);
    });
    std::vector<v1::ReceiptDifference> out;
    for (Row& row : rows_) out.push_back(std::move(row.difference));
    return out;
  }

 private:
  struct Row {
    Weight weight;
    double size;
    v1::ReceiptDifference difference;
  };

  void Add(Weight weight, double size, const std::string& field, const std::string& left, const std::string& right,
           absl::optional<double> ratio) {
    Row row{weight, size, {}};
    row.difference.set_field(field);
    row.difference.set_left(left);
    row.difference.set_right(right);
    if (ratio) row.difference.set_ratio(*ratio);
    rows_.push_back(std::move(row));
  }

  std::vector<Row> rows_;
};

std::string Accused(const v1::Receipt& receipt) {
  std::set<std::string> nodes;
  for (const v1::Accusation& a : receipt.accused()) {
    if (!a.node().empty()) nodes.insert(a.node());
  }
  return absl::StrJoin(nodes, ", ");
}

void CompareShape(const v1::MeshSpec& left, const v1::MeshSpec& right, Differences& out) {
  out.Text(kShape, "mesh.dialect", left.dialect(), right.dialect());
  out.Text(kShape, "mesh.order", left.order(), right.order());
  std::map<std::string, int64_t> a, b;
  for (const auto& axis : left.axes()) a[axis.name()] = axis.size();
  for (const auto& axis : right.axes()) b[axis.name()] = axis.size();
  std::set<std::string> names;
  for (const auto& [name, size] : a) names.insert(name);
  for (const auto& [name, size] : b) names.insert(name);
  for (const std::string& name : names) {
    out.Number(kShape, absl::StrCat("mesh.axes.", name), static_cast<double>(a[name]), static_cast<double>(b[name]));
  }
}

void ComparePlacement(const v1::Placement& left, const v1::Placement& right, Differences& out) {
  const int ranks = std::max(left.ranks_size(), right.ranks_size());
  for (int i = 0; i < ranks; ++i) {
    const auto node = [i](const v1::Placement& p) { return i < p.ranks_size() ? p.ranks(i).node() : std::string(); };
    out.Text(kPlacement, absl::StrCat("placement.ranks[", i, "]"), node(left), node(right));
  }
  out.Number(kPlacement, "placement.cost", static_cast<double>(left.cost()), static_cast<double>(right.cost()));
}

void CompareNodes(const v1::Receipt& left, const v1::Receipt& right, Differences& out) {
  std::map<std::string, const v1::NodeSurroundings*> a, b;
  for (const auto& node : left.nodes()) a[node.node()] = &node;
  for (const auto& node : right.nodes()) b[node.node()] = &node;
  for (const auto& [name, was] : a) {
    const auto at = b.find(name);
    if (at == b.end()) continue;  // another placement, said already
    const std::string prefix = absl::StrCat("nodes[", name, "]");
    out.Text(kSurroundings, prefix + ".boot_id", was->boot_id(), at->second->boot_id());
    out.Text(kSurroundings, prefix + ".agent_version", was->agent_version(), at->second->agent_version());
    out.Text(kSurroundings, prefix + ".accelerator_uuids", absl::StrJoin(was->accelerator_uuids(), ","),
             absl::StrJoin(at->second->accelerator_uuids(), ","));
    out.Maps(kSurroundings, prefix + ".facts", was->facts(), at->second->facts());
  }
}

void CompareFamilies(const v1::Receipt& left, const v1::Receipt& right, Differences& out) {
  using Key = std::tuple<std::string, int, int64_t>;
  std::map<Key, const v1::FamilyResult*> then;
  for (const auto& f : left.families()) then[{f.family(), f.collective(), f.bytes()}] = &f;
  for (const auto& f : right.families()) {
    const auto at = then.find({f.family(), f.collective(), f.bytes()});
    if (at == then.end()) continue;
    const v1::FamilyResult& was = *at->second;
    const std::string prefix =
        absl::StrCat("families.", f.family(), ".", v1::Collective_Name(f.collective()), ".", f.bytes());
    out.Text(kVerdict, prefix + ".verdict", v1::TestVerdict_Name(was.verdict()), v1::TestVerdict_Name(f.verdict()));
    if (!was.measured() || !f.measured()) continue;
    out.Number(kBandwidth, prefix + ".median_gbps", was.median_gbps(), f.median_gbps(), kNotable);
    out.Number(kBandwidth, prefix + ".slowest_gbps", was.slowest_gbps(), f.slowest_gbps(), kNotable);
  }
}

}  // namespace

std::vector<v1::ReceiptDifference> Compare(const v1::Receipt& left, const v1::Receipt& right) {
  Differences out;
  out.Text(kVerdict, "verdict", v1::TestVerdict_Name(left.verdict()), v1::TestVerdict_Name(right.verdict()));
  out.Text(kVerdict, "waived", left.waived() ? "true" : "false", right.waived() ? "true" : "false");
  out.Text(kVerdict, "accused", Accused(left), Accused(right));
  out.Text(kShape, "backend", left.backend(), right.backend());
  out.Number(kShape, "members", left.members(), right.members());
  out.Number(kShape, "workers_per_member", left.workers_per_member(), right.workers_per_member());
  CompareShape(left.mesh(), right.mesh(), out);
  ComparePlacement(left.placement(), right.placement(), out);
  out.Text(kSurroundings, "coordinator_version", left.coordinator_version(), right.coordinator_version());
  CompareNodes(left, right, out);
  CompareFamilies(left, right, out);
  out.Maps(kAnnotation, "annotations", left.annotations(), right.annotations());
  return std::move(out).Take();
}

}  // namespace muster::selftest
