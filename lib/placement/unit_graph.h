#pragma once
// Who talks to whom, unit by unit: the traffic as a graph that a search can walk.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lib/placement/traffic.h"

namespace muster::placement {

// Immutable. Cliques (traffic.h) are not in it: their costs come from counting domains' populations.
class UnitGraph {
 public:
  struct Link {
    int32_t unit;  // the other end
    int64_t same_rail;
    int64_t cross_rail;
  };

  UnitGraph(const UnitTraffic& traffic, int32_t units);

  int32_t units() const { return static_cast<int32_t>(first_.size()) - 1; }
  // Both ends have the link; in ascending order of the other end.
  absl::Span<const Link> links(int32_t unit) const {
    return absl::MakeConstSpan(links_.data() + first_[unit], first_[unit + 1] - first_[unit]);
  }
  size_t size() const { return links_.size(); }
  bool has_cross_rail() const { return has_cross_rail_; }

 private:
  std::vector<int32_t> first_;
  std::vector<Link> links_;
  bool has_cross_rail_ = false;
};

}  // namespace muster::placement
