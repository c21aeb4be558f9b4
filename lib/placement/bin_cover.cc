#include "lib/placement/bin_cover.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace muster::placement {
namespace {

using Counts = std::map<int32_t, int32_t, std::greater<>>;  // items left by capacity, big first

class Cover {
 public:
  Cover(Counts items, int32_t bins, int32_t demand, int64_t steps)
      : items_(std::move(items)), demand_(demand), steps_(steps), chosen_(bins) {
    for (const auto& [capacity, count] : items_) left_ += int64_t{std::min(capacity, demand)} * count;
  }

  Covered Run() {
    if (Bin(0)) return Covered::kYes;
    return steps_ > 0 ? Covered::kNo : Covered::kUnknown;
  }
  // Capacities of each bin.
  const std::vector<std::vector<int32_t>>& chosen() const { return chosen_; }

 private:
  // The biggest item left is in some bin or could stand for one that is: it opens this one.
  bool Bin(size_t bin) {
    if (bin == chosen_.size()) return true;
    if (left_ < static_cast<int64_t>(chosen_.size() - bin) * demand_) return false;
    for (auto& [capacity, count] : items_) {
      if (count == 0) continue;
      return Add(bin, capacity, count, demand_, capacity);
    }
    return false;
  }

  // Puts an item into the bin, then fills the rest with items no bigger; the last one is the least that does.
  bool Add(size_t bin, int32_t capacity, int32_t& count, int32_t missing, int32_t most) {
    if (--steps_ <= 0) return false;
    --count;
    left_ -= std::min(capacity, demand_);
    chosen_[bin].push_back(capacity);
    const bool done = capacity >= missing ? Bin(bin + 1) : Fill(bin, missing - capacity, most);
    if (done) return true;
    chosen_[bin].pop_back();
    left_ += std::min(capacity, demand_);
    ++count;
    return false;
  }

  bool Fill(size_t bin, int32_t missing, int32_t most) {
    for (auto at = items_.rbegin(); at != items_.rend(); ++at) {
      // An item that ends the bin could stand for any bigger one that does.
      if (at->second == 0 || at->first > most || at->first < missing) continue;
      if (Add(bin, at->first, at->second, missing, at->first)) return true;
      break;
    }
    for (auto& [capacity, count] : items_) {
      if (count == 0 || capacity > most || capacity >= missing) continue;
      if (Add(bin, capacity, count, missing, capacity)) return true;
      if (steps_ <= 0) return false;
    }
    return false;
  }

  Counts items_;
  const int32_t demand_;
  int64_t steps_;
  int64_t left_ = 0;  // what the items hold, none of them more than a bin asks for
  std::vector<std::vector<int32_t>> chosen_;
};

}  // namespace

BinCover CoverBins(const std::vector<int32_t>& capacities, int32_t bins, int32_t demand, int64_t steps) {
  BinCover cover;
  // An item that does for a bin alone gets one: the least of those go first.
  std::vector<std::pair<int32_t, size_t>> enough;
  Counts rest;
  std::map<int32_t, std::vector<size_t>> places;
  for (size_t i = 0; i < capacities.size(); ++i) {
    if (capacities[i] >= demand) {
      enough.emplace_back(capacities[i], i);
    } else if (capacities[i] > 0) {
      ++rest[capacities[i]];
      places[capacities[i]].push_back(i);
    }
  }
  std::sort(enough.begin(), enough.end());
  if (enough.size() > static_cast<size_t>(bins)) enough.resize(bins);
  for (const auto& [capacity, item] : enough) cover.bins.push_back({item});
  const auto open = bins - static_cast<int32_t>(enough.size());
  Cover search(std::move(rest), open, demand, steps);
  cover.covered = search.Run();
  if (cover.covered != Covered::kYes) return cover;
  std::map<int32_t, size_t> next;
  for (const std::vector<int32_t>& bin : search.chosen()) {
    std::vector<size_t> items;
    for (const int32_t capacity : bin) items.push_back(places[capacity][next[capacity]++]);
    std::sort(items.begin(), items.end());
    cover.bins.push_back(std::move(items));
  }
  return cover;
}

}  // namespace muster::placement
