#include "lib/placement/baselines/kueue.h"

#include <algorithm>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace muster::placement {
namespace {

// A domain of some tier; below the finest tier, a node.
struct Place {
  const std::string* label = nullptr;
  std::vector<int32_t> children;
  NodeIndex node;
  int64_t pods = 0;  // that fit below
  int64_t room = 0;  // of these, in whole slices
  int64_t taken = 0;
};

class Tree {
 public:
  Tree(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job)
      : tiers_(static_cast<int>(topology.tiers().size())), tier_(tiers_ + 1), unit_(tiers_ + 1, 1) {
    for (const BaselineJob::Slice& rule : job.slices) {
      for (int tier = 0; tier <= rule.tier; ++tier) unit_[tier] = std::max<int64_t>(unit_[tier], rule.units);
      outermost_ = std::min(outermost_, rule.tier);
    }
    Nodes complete;
    for (int32_t i = 0; i < topology.size(); ++i) {
      const TopologyPath& path = topology.node(NodeIndex(i)).path;
      const bool known = std::none_of(path.begin(), path.end(), [](const std::string& l) { return l.empty(); });
      if (known && usable[i]) complete.push_back(NodeIndex(i));
    }
    complete = OrderAs(Baseline::kKueue, topology, std::move(complete));
    for (size_t i = 0; i < complete.size(); ++i) {
      Add(topology, complete[i], i == 0 ? nullptr : &topology.node(complete[i - 1]).path);
    }
    for (int tier = tiers_; tier-- > 0;) {
      for (Place& place : tier_[tier]) {
        for (const int32_t child : place.children) place.pods += tier_[tier + 1][child].room;
        place.room = place.pods / unit_[tier] * unit_[tier];
      }
    }
  }

  // The nodes, in path order; empty: no placement.
  Nodes Take(const BaselineJob& job) {
    int tier = job.required_tier;
    if (tier == kNoTier) tier = std::min(job.preferred_tier != kNoTier ? job.preferred_tier : tiers_ - 1, outermost_);
    tier = std::max(tier, 0);  // without tiers, nodes are all there is
    std::vector<int32_t> chosen = Start(tier, job);
    if (chosen.empty()) return {};
    for (int at = tier; at < tiers_; ++at) {
      std::vector<int32_t> finer;
      if (at < outermost_) {
        for (const int32_t domain : chosen) Append(tier_[at][domain].children, finer);
        finer = Fill(at + 1, finer, job.units);
      } else {
        for (const int32_t domain : chosen) {
          Append(Fill(at + 1, tier_[at][domain].children, tier_[at][domain].taken), finer);
        }
      }
      chosen = std::move(finer);
    }
    Nodes nodes;
    std::sort(chosen.begin(), chosen.end());
    for (const int32_t leaf : chosen) nodes.push_back(tier_[tiers_][leaf].node);
    return nodes.size() == static_cast<size_t>(job.units) ? nodes : Nodes();
  }

 private:
  static void Append(const std::vector<int32_t>& from, std::vector<int32_t>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  // Nodes come in path order, so that places of one tier get their numbers in it.
  void Add(const Topology& topology, NodeIndex node, const TopologyPath* before) {
    const TopologyPath& path = topology.node(node).path;
    int shared = 0;
    while (before != nullptr && shared < tiers_ && path[shared] == (*before)[shared]) ++shared;
    for (int tier = shared; tier <= tiers_; ++tier) {
      Place place;
      if (tier < tiers_) {
        place.label = &path[tier];
      } else {
        place.node = node;
        place.pods = place.room = 1;
      }
      if (tier > 0) tier_[tier - 1].back().children.push_back(static_cast<int32_t>(tier_[tier].size()));
      tier_[tier].push_back(std::move(place));
    }
  }

  // Fullest first; the number stands for the path.
  std::vector<int32_t> Sorted(int tier, std::vector<int32_t> places) const {
    std::sort(places.begin(), places.end(), [&](int32_t a, int32_t b) {
      const Place& left = tier_[tier][a];
      const Place& right = tier_[tier][b];
      return std::tie(right.room, left.pods, a) < std::tie(left.room, right.pods, b);
    });
    return places;
  }

  // Fullest first until `wanted` are held, the last one the tightest that holds the rest.
  std::vector<int32_t> Fill(int tier, const std::vector<int32_t>& places, int64_t wanted) {
    const std::vector<int32_t> sorted = Sorted(tier, places);
    std::vector<int32_t> filled;
    for (size_t i = 0; i < sorted.size() && wanted > 0; ++i) {
      int32_t at = sorted[i];
      if (tier_[tier][at].room <= 0) break;
      if (tier_[tier][at].room >= wanted) {
        for (size_t j = i + 1; j < sorted.size(); ++j) {
          const int64_t room = tier_[tier][sorted[j]].room;
          if (room < wanted) break;
          if (room < tier_[tier][at].room) at = sorted[j];
        }
      }
      tier_[tier][at].taken = std::min(wanted, tier_[tier][at].room);
      wanted -= tier_[tier][at].taken;
      filled.push_back(at);
    }
    return wanted > 0 ? std::vector<int32_t>() : filled;
  }

  // Sets `tier` to where it starts, and returns the domains there.
  std::vector<int32_t> Start(int& tier, const BaselineJob& job) {
    while (true) {
      std::vector<int32_t> all(tier_[tier].size());
      for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
      const bool one = std::any_of(tier_[tier].begin(), tier_[tier].end(),
                                   [&](const Place& place) { return place.room >= job.units; });
      if (one || (tier == 0 && job.required_tier == kNoTier)) return Fill(tier, all, job.units);
      if (job.required_tier != kNoTier) return {};
      --tier;
    }
  }

  const int tiers_;
  std::vector<std::vector<Place>> tier_;
  std::vector<int64_t> unit_;
  int outermost_ = tiers_;
};

}  // namespace

absl::StatusOr<Nodes> KueueNodes(const Topology& topology, const std::vector<bool>& usable, const BaselineJob& job) {
  Nodes nodes = Tree(topology, usable, job).Take(job);
  if (!nodes.empty()) return nodes;
  return absl::FailedPreconditionError(absl::StrCat("kueue's rule finds no ", job.units, " nodes"));
}

}  // namespace muster::placement
