#include "lib/selftest/yardsticks.h"

#include <algorithm>

#include "lib/selftest/pair_gate.h"

namespace muster::selftest {
namespace {

// Median of the sorted `values` without the one at `left_out`, in O(1).
double MedianOfOthers(const std::vector<double>& values, size_t left_out) {
  const auto at = [&](size_t i) { return values[i < left_out ? i : i + 1]; };
  const size_t n = values.size() - 1;
  return n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
}

}  // namespace

void Yardsticks::Sort() {
  for (auto& [key, spans] : values_) {
    for (auto& [span, values] : spans) std::sort(values.begin(), values.end());
  }
}

absl::optional<Yardsticks::Measure> Yardsticks::Of(const SiblingKey& key, int span, absl::optional<double> self) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return absl::nullopt;
  if (const auto own = found->second.find(span); own != found->second.end()) {
    const std::vector<double>& values = own->second;
    const size_t others = values.size() - (self ? 1 : 0);
    if (others > 0 && self) {
      const auto at = std::lower_bound(values.begin(), values.end(), *self);
      const auto place = std::min(static_cast<size_t>(at - values.begin()), values.size() - 1);
      return Measure{MedianOfOthers(values, place), others, false};
    }
    if (others > 0) return Measure{MedianOf(values), others, false};
  }
  std::vector<double> wider = Wider(found->second, span);
  if (wider.empty()) return absl::nullopt;
  const size_t count = wider.size();
  return Measure{MedianOf(std::move(wider)), count, true};
}

absl::optional<Yardsticks::Measure> Yardsticks::OfPairs(const SiblingKey& key, int span) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return absl::nullopt;
  const auto own = found->second.find(span);
  if (own != found->second.end() && own->second.size() > 1) {
    // Sorted already: the nearest rank, without a copy for each of thousands of pairs.
    const std::vector<double>& values = own->second;
    return Measure{values[(values.size() * 3 + 3) / 4 - 1], values.size() - 1, false};
  }
  std::vector<double> wider = Wider(found->second, span);
  if (wider.empty()) return absl::nullopt;
  const size_t count = wider.size();
  return Measure{ScreenReference(std::move(wider)), count, true};
}

std::vector<double> Yardsticks::Wider(const std::map<int, std::vector<double>>& spans, int span) const {
  std::vector<double> wider;
  for (auto at = spans.upper_bound(span); at != spans.end(); ++at) {
    wider.insert(wider.end(), at->second.begin(), at->second.end());
  }
  return wider;
}

}  // namespace muster::selftest
