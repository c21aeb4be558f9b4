#pragma once
// What a group's bandwidth is compared with: groups of its kind that cross as much of the topology as it does.

#include <cstddef>
#include <map>
#include <vector>

#include "absl/types/optional.h"
#include "lib/selftest/read_group.h"

namespace muster::selftest {

class Yardsticks {
 public:
  // In any order.
  void Add(const SiblingKey& key, int span, double gbps) { values_[key][span].push_back(gbps); }
  // After the last Add, before the first question.
  void Sort();

  struct Measure {
    double gbps = 0;
    size_t siblings = 0;
    bool wider = false;  // none of its own span: of such as cross more, and so are expected to be no faster
  };
  // Median of its siblings. `self`: its own bandwidth, if that was added; it is left out, so that groups slow in one
  // half of a family still stand out. nullopt: nothing to compare with.
  absl::optional<Measure> Of(const SiblingKey& key, int span, absl::optional<double> self) const;

  // For matchings of node pairs, the group itself included: see ScreenReference. nullopt: nothing but itself.
  absl::optional<Measure> OfPairs(const SiblingKey& key, int span) const;

 private:
  // Its own span's values, or those of wider spans.
  std::vector<double> Wider(const std::map<int, std::vector<double>>& spans, int span) const;

  std::map<SiblingKey, std::map<int, std::vector<double>>> values_;
};

}  // namespace muster::selftest
