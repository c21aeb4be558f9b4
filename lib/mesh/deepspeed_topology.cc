#include "lib/mesh/deepspeed_topology.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/mesh/refusal.h"

namespace muster::mesh {
namespace {

// Axis names become fields of a Python named tuple.
bool IsPythonKeyword(absl::string_view word) {
  static constexpr std::array<absl::string_view, 35> kKeywords = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

bool IsFieldName(absl::string_view name) {
  if (name.empty() || !absl::ascii_isalpha(name[0]) || IsPythonKeyword(name)) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

absl::Status CheckAxisNames(absl::Span<const std::string> axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!IsFieldName(axes[i])) {
      return Refuse(
          "axis_names_invalid",
          absl::StrCat("axes[", i, "]: '", axes[i],
                       "' cannot be an axis; use letters, digits and '_', a letter first, and no Python keyword"));
    }
    const auto first = std::find(axes.begin(), axes.begin() + i, axes[i]);
    if (first != axes.begin() + i) {
      return Refuse("axis_names_invalid", absl::StrCat("axes[", i, "]: '", axes[i], "' is already axes[",
                                                       first - axes.begin(), "]; name each axis once"));
    }
  }
  return absl::OkStatus();
}

// How many ranks the sizes beyond the axes make of each coordinate tuple.
absl::StatusOr<int64_t> Surplus(size_t axes, absl::Span<const int64_t> dims, Compat compat) {
  if (dims.size() < axes || (dims.size() > axes && compat == Compat::kCareful)) {
    return Refuse("axes_dims_mismatch",
                  absl::StrCat("dims: ", dims.size(), " sizes for ", axes, " axes; give each axis one size"));
  }
  int64_t surplus = 1;
  for (int64_t dim : dims.subspan(axes)) {
    if (dim < 1) return Refuse("zero_size", absl::StrCat("dims: ", dim, " is not at least 1"));
    if (dim > std::numeric_limits<int64_t>::max() / surplus) {
      return Refuse("grid_too_big", absl::StrCat("dims: ", absl::StrJoin(dims, ", "), " pass 2^63-1 ranks"));
    }
    surplus *= dim;
  }
  return surplus;
}

// Sizes beyond the axes: each coordinate tuple is written `surplus` times and keeps the last rank.
absl::StatusOr<Grid> OverwrittenGrid(std::vector<Axis> axes, int64_t surplus) {
  absl::StatusOr<Grid> grid = Grid::Create(axes);
  if (!grid.ok()) return grid.status();
  if (grid->world() > std::numeric_limits<int64_t>::max() / surplus) {
    return Refuse("grid_too_big", absl::StrCat("dims: ", grid->world(), " times ", surplus, " ranks pass 2^63-1"));
  }
  return Grid::Create(std::move(axes), 0, RankOrder::OfDigits(surplus - 1, {{surplus, grid->world()}}));
}

std::vector<int64_t> PrimeFactors(int64_t number) {
  std::vector<int64_t> factors;
  for (int64_t candidate = 2; candidate * candidate <= number; ++candidate) {
    for (; number % candidate == 0; number /= candidate) factors.push_back(candidate);
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

}  // namespace

absl::StatusOr<DeepSpeedTopology> DeepSpeedTopology::Create(std::vector<std::string> axes, std::vector<int64_t> dims,
                                                            Compat compat) {
  if (absl::Status names = CheckAxisNames(axes); !names.ok()) return names;
  const absl::StatusOr<int64_t> surplus = Surplus(axes.size(), dims, compat);
  if (!surplus.ok()) return surplus.status();
  std::vector<Axis> fastest_first;
  for (size_t i = axes.size(); i-- > 0;) fastest_first.push_back({axes[i], dims[i]});
  absl::StatusOr<Grid> grid =
      *surplus == 1 ? Grid::Create(std::move(fastest_first)) : OverwrittenGrid(std::move(fastest_first), *surplus);
  if (!grid.ok()) return grid.status();
  DeepSpeedTopology topology;
  topology.axes_ = std::move(axes);
  topology.grid_ = *std::move(grid);
  return topology;
}

absl::StatusOr<DeepSpeedTopology> DeepSpeedTopology::PipeModelData(int64_t num_pp, int64_t num_mp, int64_t num_dp) {
  return Create({"pipe", "data", "model"}, {num_pp, num_dp, num_mp}, Compat::kCareful);
}

absl::StatusOr<DeepSpeedTopology> DeepSpeedTopology::PipeData(int64_t num_pp, int64_t num_dp) {
  return Create({"pipe", "data"}, {num_pp, num_dp}, Compat::kCareful);
}

absl::StatusOr<DeepSpeedTopology> DeepSpeedTopology::Default(int64_t world) {
  constexpr int64_t kLargest = int64_t{1} << 40;
  if (world < 1 || world > kLargest) {
    return Refuse("world_out_of_range",
                  absl::StrCat("world: ", world, " is not within 1..", kLargest,
                               ", where pipe and data follow from the prime factors; give the axes"));
  }
  int64_t sizes[2] = {1, 1};
  size_t turn = 0;
  for (int64_t prime : PrimeFactors(world)) sizes[turn++ % 2] *= prime;
  return PipeData(sizes[0], sizes[1]);
}

int64_t DeepSpeedTopology::Dim(absl::string_view axis) const {
  const absl::optional<size_t> found = Find(axis);
  return found ? grid_.size(*found) : 0;
}

absl::StatusOr<GlobalRank> DeepSpeedTopology::RankAt(const Where& where) const {
  if (where.size() != axes_.size()) {
    return Refuse("get_rank_needs_all_axes",
                  absl::StrCat("coordinates: ", where.size(), " given for ", axes_.size(), " axes (",
                               absl::StrJoin(axes_, ", "), "); give all of them, or match by some with a filter"));
  }
  std::vector<int64_t> coordinates(axes_.size());
  for (const auto& [axis, index] : where) {
    const absl::optional<size_t> found = Find(axis);
    if (!found) return UnknownAxis(axis);
    if (index < 0 || index >= grid_.size(*found)) {
      return Refuse("coordinate_out_of_range",
                    absl::StrCat(axis, ": ", index, " is not within 0..", grid_.size(*found) - 1));
    }
    coordinates[*found] = index;
  }
  return grid_.RankAt(coordinates);
}

absl::StatusOr<std::vector<int64_t>> DeepSpeedTopology::Coordinates(GlobalRank rank) const {
  if (!grid_.Contains(rank)) {
    return Refuse("rank_out_of_range", absl::StrCat("rank: ", rank, " is not in this topology of ", world(), " ranks"));
  }
  std::vector<int64_t> coordinates;
  for (size_t i = axes_.size(); i-- > 0;) coordinates.push_back(grid_.Coordinate(rank, i));
  return coordinates;
}

absl::StatusOr<std::string> DeepSpeedTopology::RankText(GlobalRank rank,
                                                        absl::Span<const absl::string_view> omit) const {
  const absl::StatusOr<std::vector<int64_t>> coordinates = Coordinates(rank);
  if (!coordinates.ok()) return coordinates.status();
  std::vector<std::string> parts;
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (std::find(omit.begin(), omit.end(), axes_[i]) != omit.end()) continue;
    parts.push_back(absl::StrFormat("%s_%02d", axes_[i], (*coordinates)[i]));
  }
  return absl::StrJoin(parts, "-");
}

absl::optional<Family> DeepSpeedTopology::CommLists(absl::string_view axis) const {
  const absl::optional<size_t> found = Find(axis);
  if (!found) return absl::nullopt;
  return Family(std::string(axis), GridLayout(grid_, AxisSet().set(*found)));
}

absl::StatusOr<Family> DeepSpeedTopology::AxisLists(absl::string_view axis) const {
  const absl::optional<size_t> found = Find(axis);
  if (!found) return UnknownAxis(axis);
  return Family(std::string(axis), GridLayout(grid_, ~AxisSet().set(*found)));
}

absl::StatusOr<absl::optional<Group>> DeepSpeedTopology::FilterMatch(const Where& where) const {
  std::vector<int64_t> coordinates(axes_.size());
  AxisSet free = ~AxisSet();
  bool any = true;
  for (const auto& [axis, index] : where) {
    const absl::optional<size_t> found = Find(axis);
    if (!found) return UnknownAxis(axis);
    any = any && index >= 0 && index < grid_.size(*found);
    coordinates[*found] = index;
    free.reset(*found);
  }
  if (!any) return absl::optional<Group>();
  return absl::optional<Group>(grid_.GroupOf(grid_.RankAt(coordinates), free));
}

absl::Status DeepSpeedTopology::UnknownAxis(absl::string_view axis) const {
  return Refuse("axis_unknown",
                absl::StrCat("axis: '", axis, "' is not an axis here; there are ", absl::StrJoin(axes_, ", ")));
}

}  // namespace muster::mesh
