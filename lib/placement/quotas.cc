#include "lib/placement/quotas.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::placement {
namespace {

enum class Choice { kBiggestFirst, kTreeOrder };

// A rule that only this candidate follows: whole tiles in each domain of the tier.
struct Tile {
  int tier = kNoTier;
  int32_t units = 1;
};

// Fills one sequence, from the site's domain downwards.
class Filler {
 public:
  Filler(const Site& site, Tile tile, Choice choice) : site_(site), tile_(tile), choice_(choice) {
    room_.resize(site.topology().domains().size());
    slot_of_.assign(room_.size(), -1);
    for (size_t slot = 0; slot < site.slots().size(); ++slot) {
      const int32_t home = site.slots()[slot].home.value();
      slot_of_[home] = static_cast<int32_t>(slot);
      room_[home] = static_cast<int64_t>(site.slots()[slot].nodes.size());
    }
    const int32_t top = site.domain().value();
    for (int32_t d = site.topology().domain(site.domain()).last_domain; d-- > top;) {
      const Domain& domain = site.topology().domains()[d];
      if (slot_of_[d] >= 0) own_[d] = room_[d];
      for (const DomainIndex child : domain.children) room_[d] += room_[child.value()];
      room_[d] -= room_[d] % GrainAt(domain.tier);
    }
  }

  bool Fill(int32_t units, Sequence& sequence) {
    if (room_[site_.domain().value()] < units) return false;
    sequence.reserve(units);
    Take(site_.domain().value(), units, sequence);
    return true;
  }

 private:
  int64_t GrainAt(int tier) const {
    int64_t grain = tier == tile_.tier ? tile_.units : 1;
    for (const SliceRule& rule : site_.rules()) {
      if (rule.tier == tier) grain = std::max<int64_t>(grain, rule.units);
    }
    return grain;
  }

  // Takes `count` from the domain; count <= its room, and a multiple of its grain and of those below.
  void Take(int32_t d, int64_t count, Sequence& sequence) {
    const Domain& domain = site_.topology().domains()[d];
    std::vector<int32_t> children;
    for (const DomainIndex child : domain.children) {
      if (room_[child.value()] > 0) children.push_back(child.value());
    }
    if (choice_ == Choice::kBiggestFirst) {
      std::stable_sort(children.begin(), children.end(), [&](int32_t a, int32_t b) { return room_[a] > room_[b]; });
    }
    std::vector<bool> used(children.size());
    while (count > 0) {
      size_t next = children.size();
      for (size_t i = 0; i < children.size(); ++i) {
        if (used[i]) continue;
        if (next == children.size()) next = i;
        // The tightest child that takes all that is left; children are in falling order.
        if (choice_ == Choice::kBiggestFirst && room_[children[i]] >= count) next = i;
      }
      if (next == children.size()) break;
      used[next] = true;
      const int64_t share = std::min(count, room_[children[next]]);
      Take(children[next], share, sequence);
      count -= share;
    }
    const auto own = own_.find(d);
    for (int64_t left = own == own_.end() ? 0 : std::min(count, own->second); left > 0; --left) {
      sequence.push_back(slot_of_[d]);
    }
  }

  const Site& site_;
  const Tile tile_;
  const Choice choice_;
  std::vector<int64_t> room_;
  std::vector<int32_t> slot_of_;
  std::map<int32_t, int64_t> own_;
};

// Tiles that nest with all slices: larger than the finer ones and a multiple, smaller than the coarser and a divisor.
bool Nests(const Tile& tile, const std::vector<SliceRule>& rules) {
  return std::all_of(rules.begin(), rules.end(), [&](const SliceRule& rule) {
    return rule.tier <= tile.tier ? rule.units % tile.units == 0 : tile.units % rule.units == 0;
  });
}

}  // namespace

std::vector<Sequence> CandidateSequences(const Site& site, int32_t units, size_t limit) {
  std::vector<Sequence> found;
  std::set<Sequence> seen;
  const auto add = [&](Tile tile, Choice choice) {
    Sequence sequence;
    if (found.size() >= limit || !Filler(site, tile, choice).Fill(units, sequence)) return;
    if (seen.insert(sequence).second) found.push_back(std::move(sequence));
  };
  add({}, Choice::kBiggestFirst);
  add({}, Choice::kTreeOrder);
  const int finest = static_cast<int>(site.topology().tiers().size()) - 1;
  for (int32_t tile = units / 2; tile >= 2; --tile) {
    if (units % tile != 0) continue;
    for (int tier = finest; tier > site.topology().domain(site.domain()).tier; --tier) {
      if (!Nests({tier, tile}, site.rules())) continue;
      add({tier, tile}, Choice::kBiggestFirst);
      add({tier, tile}, Choice::kTreeOrder);
    }
  }
  return found;
}

}  // namespace muster::placement
