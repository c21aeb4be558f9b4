#include "lib/mesh/named_sharding.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

absl::Status CheckNames(const std::vector<std::string>& names, size_t dimensions, Compat compat) {
  if (names.size() != dimensions) {
    return Refuse("names_match_ndim",
                  absl::StrCat("names: ", names.size(), " (", absl::StrJoin(names, ", "), ") for a layout of ",
                               dimensions, " dimensions; give each dimension one name"));
  }
  if (compat == Compat::kUpstream) return absl::OkStatus();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return Refuse("axis_names_invalid", absl::StrCat("names[", i, "]: is empty"));
    const auto first = std::find(names.begin(), names.begin() + i, names[i]);
    if (first != names.begin() + i) {
      return Refuse("axis_names_invalid", absl::StrCat("names[", i, "]: '", names[i], "' is already names[",
                                                       first - names.begin(), "]; name each axis once"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckUnique(const std::vector<int64_t>& ranks) {
  std::vector<int64_t> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> repeated;
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] && (repeated.empty() || repeated.back() != sorted[i])) repeated.push_back(sorted[i]);
  }
  if (repeated.empty()) return absl::OkStatus();
  const size_t named = std::min<size_t>(repeated.size(), 3);
  return Refuse("ranks_unique", absl::StrCat("layout: ", repeated.size(), " ranks are there more than once (",
                                             absl::StrJoin(repeated.begin(), repeated.begin() + named, ", "),
                                             named < repeated.size() ? ", ..." : "", "); each worker has one place"));
}

}  // namespace

absl::StatusOr<NamedSharding> NamedSharding::OfShape(std::vector<std::string> names, const std::vector<int64_t>& shape,
                                                     Compat compat) {
  return Create(std::move(names), shape, nullptr, compat);
}

absl::StatusOr<NamedSharding> NamedSharding::OfLayout(std::vector<std::string> names, RankArray layout, Compat compat) {
  if (absl::Status status = CheckNames(names, layout.shape.size(), compat); !status.ok()) return status;
  if (absl::Status status = CheckUnique(layout.ranks); !status.ok()) return status;
  absl::StatusOr<std::shared_ptr<const RankOrder>> order = RankOrder::OfRanks(std::move(layout.ranks));
  if (!order.ok()) return Refuse("integer_ranks", absl::StrCat("layout: ", order.status().message()));
  return Create(std::move(names), layout.shape, *std::move(order), compat);
}

absl::StatusOr<NamedSharding> NamedSharding::Create(std::vector<std::string> names, const std::vector<int64_t>& shape,
                                                    std::shared_ptr<const RankOrder> order, Compat compat) {
  if (absl::Status status = CheckNames(names, shape.size(), compat); !status.ok()) return status;
  std::vector<Axis> fastest_first;
  for (size_t i = names.size(); i-- > 0;) {
    // A grid names each axis once: those that a later one hides are told apart by their place.
    const bool hidden = std::find(names.begin() + i + 1, names.end(), names[i]) != names.end();
    fastest_first.push_back({hidden || names[i].empty() ? absl::StrCat(names[i], "#", i) : names[i], shape[i]});
  }
  absl::StatusOr<Grid> grid = Grid::Create(std::move(fastest_first), 0, std::move(order));
  if (!grid.ok()) return grid.status();
  NamedSharding sharding;
  sharding.names_ = std::move(names);
  sharding.grid_ = *std::move(grid);
  return sharding;
}

std::vector<int64_t> NamedSharding::shape() const {
  std::vector<int64_t> shape;
  for (size_t i = names_.size(); i-- > 0;) shape.push_back(grid_.size(i));
  return shape;
}

absl::optional<size_t> NamedSharding::Find(absl::string_view name) const {
  for (size_t i = names_.size(); i-- > 0;) {
    if (names_[i] == name) return names_.size() - 1 - i;
  }
  return absl::nullopt;
}

absl::StatusOr<size_t> NamedSharding::AxisIndex(absl::string_view name) const {
  const absl::optional<size_t> found = Find(name);
  if (!found) return UnknownAxis(name);
  return names_.size() - 1 - *found;
}

absl::StatusOr<int64_t> NamedSharding::AxisSize(absl::string_view name) const {
  const absl::optional<size_t> found = Find(name);
  if (!found) return UnknownAxis(name);
  return grid_.size(*found);
}

absl::StatusOr<std::vector<int64_t>> NamedSharding::Coordinates(int64_t worker) const {
  if (!grid_.Contains(worker)) {
    return Refuse("worker_unknown",
                  absl::StrCat("worker: ", worker, " has no place in this layout of ", size(), " workers"));
  }
  std::vector<int64_t> coordinates;
  for (const std::string& name : names_) coordinates.push_back(grid_.Coordinate(worker, *Find(name)));
  return coordinates;
}

absl::StatusOr<Group> NamedSharding::Ranks(const Where& where) const {
  std::vector<int64_t> coordinates(names_.size());
  AxisSet free = ~AxisSet();
  for (const auto& [name, index] : where) {
    const absl::optional<size_t> axis = Find(name);
    if (!axis) return UnknownAxis(name);
    if (index < 0 || index >= grid_.size(*axis)) {
      return Refuse("index_out_of_range", absl::StrCat(name, ": ", index, " is not within 0..", grid_.size(*axis) - 1));
    }
    coordinates[*axis] = index;
    free.reset(*axis);
  }
  return grid_.GroupOf(grid_.RankAt(coordinates), free);
}

absl::StatusOr<std::vector<int64_t>> NamedSharding::RanksByCoordinate(const Where& where) const {
  for (const auto& [name, index] : where) {
    if (!Find(name)) return UnknownAxis(name);
  }
  const absl::StatusOr<Group> group = Ranks(where);
  if (!group.ok()) return std::vector<int64_t>();  // an index outside its axis matches nobody
  std::vector<int64_t> ranks = group->Members();
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

absl::StatusOr<Family> NamedSharding::Slices(absl::string_view name) const {
  const absl::optional<size_t> axis = Find(name);
  if (!axis) return UnknownAxis(name);
  return Family(std::string(name), GridLayout(grid_, ~AxisSet().set(*axis)));
}

absl::StatusOr<Family> NamedSharding::Along(absl::string_view name) const {
  const absl::optional<size_t> axis = Find(name);
  if (!axis) return UnknownAxis(name);
  return Family(std::string(name), GridLayout(grid_, AxisSet().set(*axis)));
}

absl::StatusOr<bool> NamedSharding::IsLeader(int64_t worker, absl::Span<const absl::string_view> axes) const {
  if (!grid_.Contains(worker)) return Coordinates(worker).status();
  return std::all_of(axes.begin(), axes.end(), [&](absl::string_view name) {
    const absl::optional<size_t> axis = Find(name);
    return !axis || grid_.Coordinate(worker, *axis) == 0;
  });
}

absl::Status NamedSharding::UnknownAxis(absl::string_view name) const {
  return Refuse("axis_unknown",
                absl::StrCat("axis: '", name, "' is not an axis here; there are ", absl::StrJoin(names_, ", ")));
}

}  // namespace muster::mesh
