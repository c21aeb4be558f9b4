#include "lib/placement/unit_groups.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace muster::placement {
namespace {

// Appends what is within the unit and what is between units of one digit; false if the border cuts it unevenly.
bool CutDigitAt(const mesh::Digit& digit, int64_t border, std::vector<CutDigit>& parts) {
  if (digit.size <= 1) return true;
  if (digit.stride <= 0) return false;
  if (digit.stride % border == 0) {
    parts.push_back({false, digit.stride / border, digit.size});
    return true;
  }
  if (digit.stride > border) return false;
  if (digit.size - 1 <= (border - 1) / digit.stride) {
    parts.push_back({true, digit.stride, digit.size});
    return true;
  }
  const int64_t inside = border / digit.stride;
  if (border % digit.stride != 0 || digit.size % inside != 0) return false;
  if (inside > 1) parts.push_back({true, digit.stride, inside});
  parts.push_back({false, 1, digit.size / inside});
  return true;
}

std::vector<UnitGroup> Listed(const World& world, const mesh::Family& family, int64_t workers_per_unit) {
  std::map<std::vector<int32_t>, int64_t> counts;
  for (int64_t g = 0, groups = family.count(); g < groups; ++g) {
    const mesh::Group group = family.group(g);
    std::vector<int32_t> units;
    for (int64_t j = 0, size = group.size(); j < size; ++j) {
      const auto unit = static_cast<int32_t>((group.member(j) - world.first) / workers_per_unit);
      if (units.empty() || units.back() != unit) units.push_back(unit);
    }
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    ++counts[std::move(units)];
  }
  std::vector<UnitGroup> found;
  for (auto& [units, count] : counts) found.push_back({units, count});
  return found;
}

}  // namespace

absl::Status TooLargeToList(absl::string_view family, int64_t world) {
  return absl::ResourceExhaustedError(absl::StrCat(
      "family ", family, " of ", world, " workers does not line up with its nodes' borders, which is priced ",
      "worker by worker and only up to ", kMaxListedWorld,
      " workers; choose members and workersPerMember so that the inner axes fill whole nodes"));
}

absl::optional<UnitCut> CutAtUnits(const mesh::Family& family, mesh::GlobalRank first_rank, int64_t workers_per_unit) {
  const auto* layout = std::get_if<mesh::StridedLayout>(&family.layout());
  if (layout == nullptr || layout->order != nullptr || layout->base != first_rank) return absl::nullopt;
  UnitCut cut;
  std::vector<CutDigit> bases;
  for (const mesh::Digit& digit : layout->inner) {
    if (!CutDigitAt(digit, workers_per_unit, cut.members)) return absl::nullopt;
  }
  for (const mesh::Digit& digit : layout->outer) {
    if (!CutDigitAt(digit, workers_per_unit, bases)) return absl::nullopt;
  }
  int64_t farthest = 0;  // place within the unit that the inner digits reach together
  for (const auto* parts : {&cut.members, &bases}) {
    for (const CutDigit& part : *parts) farthest += part.within ? (part.size - 1) * part.stride : 0;
  }
  if (farthest >= workers_per_unit) return absl::nullopt;
  std::sort(cut.members.begin(), cut.members.end(),
            [](const CutDigit& a, const CutDigit& b) { return a.within != b.within ? a.within : a.stride < b.stride; });
  for (const CutDigit& part : bases) {
    if (part.within) {
      cut.twins *= part.size;
    } else {
      cut.bases.push_back({part.stride, part.size});
    }
  }
  return cut;
}

absl::StatusOr<std::vector<UnitGroup>> UnitGroupsOf(const World& world, const mesh::Family& family,
                                                    int64_t workers_per_unit) {
  const absl::optional<UnitCut> cut = CutAtUnits(family, world.first, workers_per_unit);
  if (!cut) {
    if (world.size > kMaxListedWorld) return TooLargeToList(family.name(), world.size);
    return Listed(world, family, workers_per_unit);
  }
  mesh::Digits between;
  for (const CutDigit& part : cut->members) {
    if (!part.within) between.push_back({part.stride, part.size});
  }
  const int64_t bases = mesh::CountOf(cut->bases);
  const int64_t size = mesh::CountOf(between);
  std::vector<UnitGroup> found;
  found.reserve(bases);
  for (int64_t b = 0; b < bases; ++b) {
    UnitGroup group;
    group.count = cut->twins;
    group.units.reserve(size);
    const int64_t base = mesh::OffsetAt(cut->bases, b);
    for (int64_t j = 0; j < size; ++j) group.units.push_back(static_cast<int32_t>(base + mesh::OffsetAt(between, j)));
    found.push_back(std::move(group));
  }
  std::sort(found.begin(), found.end(), [](const UnitGroup& a, const UnitGroup& b) { return a.units < b.units; });
  return found;
}

}  // namespace muster::placement
