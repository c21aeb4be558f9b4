#include "lib/mesh/megatron_derived.h"

#include <utility>

namespace muster::mesh {

StridedLayout HierarchicalLevel(const StridedLayout& cp, absl::Span<const int64_t> sizes, size_t level) {
  StridedLayout layout{.base = cp.base, .outer = {}, .inner = {}, .order = cp.order};
  int64_t stride = cp.inner.empty() ? 1 : cp.inner[0].stride;
  for (size_t i = 0; i < sizes.size(); ++i) {
    (i == level ? layout.inner : layout.outer).push_back({stride, sizes[i]});
    stride *= sizes[i];
  }
  layout.outer.insert(layout.outer.end(), cp.outer.begin(), cp.outer.end());
  layout.outer = Trimmed(layout.outer);
  layout.inner = Trimmed(layout.inner);
  return layout;
}

StridedLayout FirstAndLast(const StridedLayout& pp) {
  StridedLayout layout = pp;
  for (Digit& digit : layout.inner) digit = {digit.stride * (digit.size - 1), 2};
  return layout;
}

StridedLayout FirstOnly(const StridedLayout& pp) {
  StridedLayout layout = pp;
  layout.inner.clear();
  return layout;
}

StridedLayout Concatenated(const StridedLayout& parent, int64_t count) {
  StridedLayout layout = parent;
  // The groups of a grid are strided over its one remaining axis, or over none: the cut never falls inside two digits.
  if (auto parts = SplitAt(parent.outer, count)) {
    layout.inner.insert(layout.inner.end(), parts->first.begin(), parts->first.end());
    layout.outer = std::move(parts->second);
  }
  return layout;
}

}  // namespace muster::mesh
