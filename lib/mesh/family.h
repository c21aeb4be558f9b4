#pragma once
// A family: all groups of one kind (tp, dp_cp, ep_dp ...), in creation order, as arithmetic. Never a list of members.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lib/mesh/digits.h"
#include "lib/mesh/grid.h"
#include "lib/mesh/group.h"
#include "lib/mesh/rank_order.h"

namespace muster::mesh {

// Group g has base + OffsetAt(outer, g) as its base and `inner` as its digits; with an `order` these are positions.
// outer and inner together are nested, so that a rank determines its group and place.
struct StridedLayout {
  GlobalRank base = 0;
  Digits outer;
  Digits inner;
  std::shared_ptr<const RankOrder> order = nullptr;
  // Set where the members of each group are known to ascend although an order maps them: spares counting them.
  bool ascending = false;
};

// Blocks of `block` consecutive members of each group of `parent`, in order; the last block of each may be short.
struct BlockLayout {
  StridedLayout parent;
  int64_t block = 1;
};

// Pairs (rank, its next one on a ring axis, wrapping), one a rank in rank order. A rank is thus in two groups.
struct RingLayout {
  GlobalRank base = 0;
  Digit axis;
  int64_t count = 1;
};

// Layouts cut from a grid or from another layout.
StridedLayout GridLayout(const Grid& grid, AxisSet axes);
// Each group of `parent` (n members) cut into `count` blocks of n/count consecutive members; precondition: count
// divides n.
StridedLayout Blocks(const StridedLayout& parent, int64_t count);
// The groups across those blocks: members at equal places, enumerated by place within each group of `parent`.
StridedLayout AcrossBlocks(const StridedLayout& parent, int64_t count);

// What one rank finds in a family.
struct Membership {
  int64_t group_index = 0;  // in creation order
  int64_t position = 0;     // place in the group's list of members
  int64_t group_rank = 0;   // rank within the communicator: place among the members in ascending order
  Group group;
};

// Immutable, copied freely. All calls are O(axes); only group_rank through an explicit list of ranks counts the
// members.
class Family {
 public:
  using Layout = std::variant<StridedLayout, BlockLayout, RingLayout>;

  Family(std::string name, Layout layout) : name_(std::move(name)), options_key_(name_), layout_(std::move(layout)) {}

  absl::string_view name() const { return name_; }
  const Layout& layout() const { return layout_; }
  // Number of groups.
  int64_t count() const;
  // Members of the widest group.
  int64_t max_size() const;
  // 0 <= index < count(), in creation order.
  Group group(int64_t index) const;
  // nullopt if the rank is in no group of the family (embd of a middle stage). In a ring, the pair that the rank
  // begins.
  absl::optional<Membership> GroupOf(GlobalRank rank) const;

  // The key under which the dialect looks up this family's communicator options; by default the name, empty if it
  // doesn't.
  absl::string_view options_key() const { return options_key_; }
  // Backend the dialect asks for by name; empty for its default.
  absl::string_view backend() const { return backend_; }
  // Whether a Gloo group of the same ranks is created right after each group.
  bool gloo_twin() const { return gloo_twin_; }
  // Whether the groups are created while in-network reduction is switched on.
  bool collnet() const { return collnet_; }

  Family&& WithOptionsKey(std::string key) && { return options_key_ = std::move(key), std::move(*this); }
  Family&& WithBackend(std::string backend) && { return backend_ = std::move(backend), std::move(*this); }
  Family&& WithGlooTwin(bool twin) && { return gloo_twin_ = twin, std::move(*this); }
  Family&& WithCollnet(bool collnet) && { return collnet_ = collnet, std::move(*this); }

 private:
  std::string name_;
  std::string options_key_;
  std::string backend_;
  bool gloo_twin_ = false;
  bool collnet_ = false;
  Layout layout_;
};

}  // namespace muster::mesh
