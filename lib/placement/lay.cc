#include "lib/placement/lay.h"

#include <algorithm>
#include <utility>

namespace muster::placement {
namespace {

class RowMaker {
 public:
  RowMaker(const Site& site, const std::vector<int32_t>& quotas, ChildOrder how, const std::vector<int64_t>& tiles)
      : site_(site), quotas_(quotas), how_(how), tiles_(tiles), below_(site.domains().size()) {
    for (size_t d = below_.size(); d-- > 0;) {
      const SiteDomain& domain = site.domains()[d];
      if (domain.slot >= 0) below_[d] += quotas[domain.slot];
      if (domain.parent >= 0) below_[domain.parent] += below_[d];
    }
  }

  std::vector<int32_t> Run() {
    Fill(0);
    return std::move(row_);
  }

 private:
  // How big a tile ends at this count: its place in tiles_.
  size_t Alignment(int64_t count) const {
    size_t best = 0;
    while (best < tiles_.size() && count % tiles_[best] == 0) ++best;
    return best;
  }

  void Fill(int32_t d) {
    const SiteDomain& domain = site_.domains()[d];
    std::vector<int32_t> children;
    for (const int32_t child : domain.children) {
      if (below_[child] > 0) children.push_back(child);
    }
    if (how_ != ChildOrder::kNatural) {
      std::stable_sort(children.begin(), children.end(), [&](int32_t a, int32_t b) { return below_[a] > below_[b]; });
    }
    if (how_ == ChildOrder::kAligned) {
      std::stable_sort(children.begin(), children.end(),
                       [&](int32_t a, int32_t b) { return Alignment(below_[a]) > Alignment(below_[b]); });
    }
    while (!children.empty()) {
      size_t next = 0;
      if (how_ == ChildOrder::kAligned) {
        const auto at = static_cast<int64_t>(row_.size());
        for (size_t i = 1; i < children.size(); ++i) {
          if (Alignment(at + below_[children[i]]) > Alignment(at + below_[children[next]])) next = i;
        }
      }
      Fill(children[next]);
      children.erase(children.begin() + static_cast<int64_t>(next));
    }
    if (domain.slot >= 0) row_.insert(row_.end(), quotas_[domain.slot], domain.slot);
  }

  const Site& site_;
  const std::vector<int32_t>& quotas_;
  const ChildOrder how_;
  const std::vector<int64_t>& tiles_;
  std::vector<int64_t> below_;
  std::vector<int32_t> row_;
};

}  // namespace

std::vector<int32_t> RowOf(const Site& site, const std::vector<int32_t>& quotas, ChildOrder how,
                           const std::vector<int64_t>& tiles) {
  return RowMaker(site, quotas, how, tiles).Run();
}

Layout LayAlong(const std::vector<int32_t>& row, const std::vector<int32_t>& unit_at) {
  Layout layout(row.size());
  for (size_t place = 0; place < row.size(); ++place) layout[unit_at[place]] = row[place];
  return layout;
}

}  // namespace muster::placement
