#include "lib/mesh/family.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::mesh {
namespace {

Digits Concat(const Digits& low, const Digits& high) {
  Digits all = low;
  all.insert(all.end(), high.begin(), high.end());
  return all;
}

// The rank of a member whose digits have these values, counted among all members in ascending order.
int64_t AscendingIndex(const Digits& digits, const DigitValues& values) {
  int64_t index = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int64_t weight = values[i];
    for (const Digit& other : digits) weight *= other.stride < digits[i].stride ? other.size : 1;
    index += weight;
  }
  return index;
}

// Where only a list of ranks says how members ascend, counting them is the only way.
int64_t CountBelow(const Group& group, GlobalRank rank) {
  int64_t below = 0;
  for (int64_t j = 0, n = group.size(); j < n; ++j) below += group.member(j) < rank ? 1 : 0;
  return below;
}

bool Ascends(const StridedLayout& layout) {
  if (layout.order) return layout.ascending;
  const auto by_stride = [](const Digit& a, const Digit& b) { return a.stride < b.stride; };
  return std::is_sorted(layout.inner.begin(), layout.inner.end(), by_stride);
}

absl::optional<Membership> MembershipIn(const StridedLayout& layout, GlobalRank rank) {
  const absl::optional<int64_t> position = layout.order ? layout.order->PositionOf(rank) : rank;
  if (!position || *position < layout.base) return absl::nullopt;
  const Digits all = Concat(layout.inner, layout.outer);
  const absl::optional<DigitValues> values = ValuesOf(all, *position - layout.base);
  if (!values) return absl::nullopt;
  Membership found;
  for (size_t i = all.size(); i-- > layout.inner.size();) {
    found.group_index = found.group_index * all[i].size + (*values)[i];
  }
  for (size_t i = layout.inner.size(); i-- > 0;) found.position = found.position * all[i].size + (*values)[i];
  found.group = {layout.base + OffsetAt(layout.outer, found.group_index), layout.inner, layout.order};
  if (layout.ascending) {
    found.group_rank = found.position;
  } else {
    found.group_rank = layout.order ? CountBelow(found.group, rank) : AscendingIndex(layout.inner, *values);
  }
  return found;
}

int64_t BlocksPerGroup(const BlockLayout& layout) {
  const int64_t members = CountOf(layout.parent.inner);
  return members / layout.block + (members % layout.block != 0 ? 1 : 0);
}

Group GroupAt(const StridedLayout& layout, int64_t index) {
  return {layout.base + OffsetAt(layout.outer, index), layout.inner, layout.order};
}

Group GroupAt(const BlockLayout& layout, int64_t index) {
  const int64_t blocks = BlocksPerGroup(layout);
  const Group parent = GroupAt(layout.parent, index / blocks);
  const int64_t first = (index % blocks) * layout.block;
  const int64_t length = std::min(layout.block, parent.size() - first);
  const Digits joined = Joined(parent.digits);
  if (joined.size() <= 1) {
    const int64_t stride = joined.empty() ? 1 : joined[0].stride;
    return {parent.base + first * stride, Trimmed({{stride, length}}), parent.order};
  }
  if (length == layout.block) {
    if (const auto parts = SplitAt(joined, layout.block)) {
      return {parent.base + OffsetAt(joined, first), parts->first, parent.order};
    }
  }
  // An uneven cut: count places within the parent group.
  if (parent.order) {
    std::vector<GlobalRank> members = parent.Members();
    return {first, Trimmed({{1, length}}), *RankOrder::OfRanks(std::move(members))};
  }
  return {first, Trimmed({{1, length}}), RankOrder::OfDigits(parent.base, joined)};
}

Group GroupAt(const RingLayout& layout, int64_t index) {
  const int64_t coordinate = (index / layout.axis.stride) % layout.axis.size;
  const int64_t step = coordinate + 1 < layout.axis.size ? layout.axis.stride : -coordinate * layout.axis.stride;
  return {layout.base + index, {{step, 2}}, nullptr};
}

absl::optional<Membership> MembershipIn(const BlockLayout& layout, GlobalRank rank) {
  absl::optional<Membership> found = MembershipIn(layout.parent, rank);
  if (!found) return absl::nullopt;
  found->group_index = found->group_index * BlocksPerGroup(layout) + found->position / layout.block;
  found->position %= layout.block;
  found->group = GroupAt(layout, found->group_index);
  // Consecutive members of an ascending parent ascend; of any other, count.
  found->group_rank = Ascends(layout.parent) ? found->position : CountBelow(found->group, rank);
  return found;
}

absl::optional<Membership> MembershipIn(const RingLayout& layout, GlobalRank rank) {
  if (rank < layout.base || rank - layout.base >= layout.count) return absl::nullopt;
  Membership found;
  found.group_index = rank - layout.base;
  found.group = GroupAt(layout, found.group_index);
  found.group_rank = found.group.digits[0].stride < 0 ? 1 : 0;
  return found;
}

int64_t CountIn(const StridedLayout& layout) { return CountOf(layout.outer); }
int64_t CountIn(const BlockLayout& layout) { return CountOf(layout.parent.outer) * BlocksPerGroup(layout); }
int64_t CountIn(const RingLayout& layout) { return layout.count; }

int64_t MaxSizeIn(const StridedLayout& layout) { return CountOf(layout.inner); }
int64_t MaxSizeIn(const BlockLayout& layout) { return std::min(layout.block, CountOf(layout.parent.inner)); }
int64_t MaxSizeIn(const RingLayout&) { return 2; }

// The parent over places: place p of group g is position g·n + p of an order, which any cut of n divides evenly.
StridedLayout OverPlaces(const StridedLayout& parent) {
  const Digits all = Concat(parent.inner, parent.outer);
  const int64_t members = CountOf(parent.inner);
  StridedLayout places{.outer = {{members, CountOf(parent.outer)}}, .inner = {{1, members}}};
  if (!parent.order) {
    places.order = RankOrder::OfDigits(parent.base, all);
    places.ascending = Ascends(parent);
    return places;
  }
  std::vector<GlobalRank> ranks;
  for (int64_t i = 0, n = CountOf(all); i < n; ++i) ranks.push_back(parent.order->At(parent.base + OffsetAt(all, i)));
  places.order = *RankOrder::OfRanks(std::move(ranks));  // a part of an order has no repeats
  return places;
}

struct Cut {
  StridedLayout parent;
  Digits within;
  Digits across;
};

Cut CutInto(const StridedLayout& parent, int64_t count) {
  const int64_t members = CountOf(parent.inner);
  if (auto parts = SplitAt(parent.inner, members / count)) return {parent, parts->first, parts->second};
  const StridedLayout places = OverPlaces(parent);
  auto parts = SplitAt(places.inner, members / count);
  return {places, parts->first, parts->second};
}

}  // namespace

StridedLayout GridLayout(const Grid& grid, AxisSet axes) {
  return {grid.offset(), grid.DigitsOf(~axes), grid.DigitsOf(axes), grid.order(), false};
}

StridedLayout Blocks(const StridedLayout& parent, int64_t count) {
  Cut cut = CutInto(parent, count);
  return {cut.parent.base, Concat(cut.across, cut.parent.outer), cut.within, cut.parent.order, cut.parent.ascending};
}

StridedLayout AcrossBlocks(const StridedLayout& parent, int64_t count) {
  Cut cut = CutInto(parent, count);
  return {cut.parent.base, Concat(cut.within, cut.parent.outer), cut.across, cut.parent.order, cut.parent.ascending};
}

int64_t Family::count() const {
  return std::visit([](const auto& layout) { return CountIn(layout); }, layout_);
}

int64_t Family::max_size() const {
  return std::visit([](const auto& layout) { return MaxSizeIn(layout); }, layout_);
}

Group Family::group(int64_t index) const {
  return std::visit([&](const auto& layout) { return GroupAt(layout, index); }, layout_);
}

absl::optional<Membership> Family::GroupOf(GlobalRank rank) const {
  return std::visit([&](const auto& layout) { return MembershipIn(layout, rank); }, layout_);
}

}  // namespace muster::mesh
