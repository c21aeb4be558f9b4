#include "lib/placement/traffic.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/placement/unit_groups.h"

namespace muster::placement {
namespace {

// Sets of units up to this size are listed pair by pair.
constexpr int64_t kMaxListedClique = 48;
// Σ weight · hops stays under this, so that times any hop cost it stays under 2^58.
constexpr int64_t kMaxWeight = int64_t{1} << 38;

void Merge(std::vector<UnitEdge>& edges) {
  for (UnitEdge& edge : edges) {
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  }
  std::sort(edges.begin(), edges.end(),
            [](const UnitEdge& x, const UnitEdge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  size_t kept = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && edges[kept - 1].a == edges[i].a && edges[kept - 1].b == edges[i].b) {
      edges[kept - 1].same_rail += edges[i].same_rail;
      edges[kept - 1].cross_rail += edges[i].cross_rail;
    } else {
      edges[kept++] = edges[i];
    }
  }
  edges.resize(kept);
}

// Hops from each member to the next in ascending order, as carries of the mixed-radix count: at carry level `c` all
// digits below c go from their last value to 0 and digit c goes up by one; the wrap of a ring is one level above all.
class HopLister {
 public:
  HopLister(const UnitCut& cut, std::vector<UnitEdge>& edges) : cut_(cut), edges_(edges) {}

  void List(bool wrap) {
    for (size_t c = 0; c < cut_.members.size() + (wrap ? 1 : 0); ++c) ListLevel(c);
  }

 private:
  void ListLevel(size_t c) {
    const auto& digits = cut_.members;
    int64_t back = 0;  // from the hop's end to its beginning, by the digits that fall to 0
    bool other_unit = false;
    bool other_rail = false;
    int64_t count = cut_.twins;
    mesh::Digits free = cut_.bases;
    for (size_t i = 0; i < digits.size(); ++i) {
      const CutDigit& digit = digits[i];
      if (i <= c) (digit.within ? other_rail : other_unit) = true;
      if (i < c && !digit.within) back += (digit.size - 1) * digit.stride;
      if (i > c && digit.within) count *= digit.size;
      if (i > c && !digit.within) free.push_back({digit.stride, digit.size});
    }
    if (!other_unit) return;
    int64_t up = 0;
    if (c < digits.size()) {
      if (digits[c].within) {
        count *= digits[c].size - 1;
      } else {
        up = digits[c].stride;
        free.push_back({up, digits[c].size - 1});
      }
    }
    for (int64_t i = 0, n = mesh::CountOf(free); i < n; ++i) {
      const int64_t low = mesh::OffsetAt(free, i);
      edges_.push_back({static_cast<int32_t>(low + back), static_cast<int32_t>(low + up), other_rail ? 0 : count,
                        other_rail ? count : 0});
    }
  }

  const UnitCut& cut_;
  std::vector<UnitEdge>& edges_;
};

void AddAllPairs(const std::vector<int32_t>& units, int64_t same_rail, int64_t cross_rail, ItemTraffic& item) {
  if (units.size() < 2) return;
  if (units.size() > kMaxListedClique) {
    item.cliques.push_back({units, same_rail, cross_rail});
    return;
  }
  for (size_t i = 0; i < units.size(); ++i) {
    for (size_t j = i + 1; j < units.size(); ++j) item.edges.push_back({units[i], units[j], same_rail, cross_rail});
  }
}

// The hops of a family that can be cut.
absl::Status AddCut(const World& world, const mesh::Family& family, const UnitCut& cut, int64_t workers_per_unit,
                    ItemTraffic& item) {
  if (item.pattern != v1::TrafficItem::ALL_PAIRS) {
    HopLister(cut, item.edges).List(item.pattern != v1::TrafficItem::CHAIN);
    return absl::OkStatus();
  }
  int64_t within = 1;
  for (const CutDigit& digit : cut.members) within *= digit.within ? digit.size : 1;
  const auto groups = UnitGroupsOf(world, family, workers_per_unit);
  if (!groups.ok()) return groups.status();
  for (const UnitGroup& group : *groups) {
    AddAllPairs(group.units, group.count * within, group.count * (within * within - within), item);
  }
  return absl::OkStatus();
}

// The hops of any family, worker by worker.
absl::Status AddListed(const World& world, const mesh::Family& family, int64_t workers_per_unit, ItemTraffic& item) {
  if (world.size > kMaxListedWorld) return TooLargeToList(family.name(), world.size);
  for (int64_t g = 0, groups = family.count(); g < groups; ++g) {
    std::vector<mesh::GlobalRank> members = family.group(g).Members();
    for (mesh::GlobalRank& member : members) member -= world.first;
    std::sort(members.begin(), members.end());
    const auto add = [&](size_t i, size_t j) {
      const int64_t a = members[i] / workers_per_unit;
      const int64_t b = members[j] / workers_per_unit;
      if (a == b) return;
      const bool rail = members[i] % workers_per_unit == members[j] % workers_per_unit;
      item.edges.push_back({static_cast<int32_t>(a), static_cast<int32_t>(b), rail ? 1 : 0, rail ? 0 : 1});
    };
    const size_t size = members.size();
    if (item.pattern == v1::TrafficItem::ALL_PAIRS) {
      if (size > 4096) return TooLargeToList(family.name(), world.size);
      for (size_t i = 0; i < size; ++i) {
        for (size_t j = i + 1; j < size; ++j) add(i, j);
      }
      Merge(item.edges);
      continue;
    }
    for (size_t i = 0; i + 1 < size; ++i) add(i, i + 1);
    if (item.pattern != v1::TrafficItem::CHAIN && size > 1) add(size - 1, 0);
  }
  return absl::OkStatus();
}

// All hops of the family's groups, inside units too.
absl::uint128 HopsOf(const mesh::Family& family, v1::TrafficItem::Pattern pattern) {
  const auto in_group = [&](int64_t size) -> absl::uint128 {
    if (size < 2) return 0;
    if (pattern == v1::TrafficItem::ALL_PAIRS) return absl::uint128(size) * (size - 1) / 2;
    return pattern == v1::TrafficItem::CHAIN ? size - 1 : size;
  };
  if (std::holds_alternative<mesh::StridedLayout>(family.layout())) {
    return absl::uint128(family.count()) * in_group(family.max_size());
  }
  absl::uint128 hops = 0;
  for (int64_t g = 0, groups = family.count(); g < groups; ++g) hops += in_group(family.group(g).size());
  return hops;
}

absl::StatusOr<const mesh::Family*> FamilyOf(const mesh::Mesh& mesh, const std::string& name,
                                             const std::string& field) {
  if (const mesh::Family* family = mesh.Find(name)) return family;
  std::vector<std::string> names;
  for (const mesh::Family& known : mesh.families()) names.emplace_back(known.name());
  const std::string nearest = NearestName(name, names);
  return FieldError(absl::StrCat(field, ".family"), absl::StrCat("this mesh has no family \"", name, "\""),
                    absl::StrCat(nearest.empty() ? "" : absl::StrCat("did you mean \"", nearest, "\"? "), "it has ",
                                 FewNames(names, 8)));
}

absl::StatusOr<ItemTraffic> TrafficOf(const World& world, const Talk& talk, int64_t workers_per_unit,
                                      const std::string& field) {
  const absl::optional<UnitCut> cut = CutAtUnits(*talk.family, world.first, workers_per_unit);
  if (!cut && world.size > kMaxListedWorld) return TooLargeToList(talk.family->name(), world.size);
  ItemTraffic item;
  item.family = talk.name;
  item.pattern = talk.pattern == v1::TrafficItem::PATTERN_UNSPECIFIED ? v1::TrafficItem::RING : talk.pattern;
  item.weight = talk.weight;
  const absl::uint128 hops = HopsOf(*talk.family, item.pattern);
  if (hops * absl::uint128(std::max<int64_t>(item.weight, 1)) > absl::uint128(kMaxWeight)) {
    return FieldError(absl::StrCat(field, ".weight"),
                      absl::StrCat(item.weight, " times the hops of family ", item.family, " passes 2^38"),
                      "give less weight or another pattern");
  }
  item.hops = static_cast<int64_t>(hops);
  const absl::Status added = cut ? AddCut(world, *talk.family, *cut, workers_per_unit, item)
                                 : AddListed(world, *talk.family, workers_per_unit, item);
  if (!added.ok()) return added;
  Merge(item.edges);
  return item;
}

void AddStrides(const World& world, const mesh::Family& family, int64_t workers_per_unit, std::set<int64_t>& ends) {
  const absl::optional<UnitCut> cut = CutAtUnits(family, world.first, workers_per_unit);
  if (!cut) return;
  for (const CutDigit& digit : cut->members) {
    if (!digit.within) ends.insert({digit.stride, digit.stride * digit.size});
  }
  for (const mesh::Digit& digit : cut->bases) ends.insert({digit.stride, digit.stride * digit.size});
}

}  // namespace

int64_t ItemTraffic::other_rail_hops() const {
  int64_t others = 0;
  for (const UnitEdge& edge : edges) others += edge.cross_rail;
  for (const UnitClique& clique : cliques) {
    const auto units = static_cast<int64_t>(clique.units.size());
    others += clique.cross_rail * (units * (units - 1) / 2);
  }
  return others;
}

absl::StatusOr<UnitTraffic> UnitTraffic::Of(const mesh::Mesh& mesh, const std::vector<v1::TrafficItem>& items,
                                            int64_t workers_per_unit) {
  std::vector<Talk> talks;
  for (size_t i = 0; i < items.size(); ++i) {
    const auto family = FamilyOf(mesh, items[i].family(), absl::StrCat("spec.placement.traffic[", i, "]"));
    if (!family.ok()) return family.status();
    talks.push_back({items[i].family(), *family, items[i].pattern(), items[i].weight()});
  }
  return Of(World{mesh.first_rank(), mesh.world()}, talks, workers_per_unit);
}

absl::StatusOr<UnitTraffic> UnitTraffic::Of(const World& world, const std::vector<Talk>& talks,
                                            int64_t workers_per_unit) {
  UnitTraffic traffic;
  int64_t total = 0;
  for (size_t i = 0; i < talks.size(); ++i) {
    const std::string field = absl::StrCat("spec.placement.traffic[", i, "]");
    auto item = TrafficOf(world, talks[i], workers_per_unit, field);
    if (!item.ok()) return item.status();
    total += item->weight * item->hops;
    if (total > kMaxWeight) {
      return FieldError(field, "the weights of all hops together pass 2^38", "give less weight");
    }
    traffic.items.push_back(*std::move(item));
  }
  for (const ItemTraffic& item : traffic.items) {
    if (item.weight == 0) continue;
    for (const UnitEdge& edge : item.edges) {
      traffic.edges.push_back({edge.a, edge.b, edge.same_rail * item.weight, edge.cross_rail * item.weight});
    }
    for (const UnitClique& clique : item.cliques) {
      traffic.cliques.push_back({clique.units, clique.same_rail * item.weight, clique.cross_rail * item.weight});
    }
  }
  Merge(traffic.edges);
  std::set<int64_t> ends;
  for (const Talk& talk : talks) AddStrides(world, *talk.family, workers_per_unit, ends);
  for (const int64_t end : ends) {
    if (end > traffic.strides.back() && end % traffic.strides.back() == 0) traffic.strides.push_back(end);
  }
  return traffic;
}

}  // namespace muster::placement
