#include "lib/placement/site.h"

#include <algorithm>

namespace muster::placement {

Site::Site(const Topology& topology, const HopCosts& costs, const Rules& rules, DomainIndex domain,
           const std::vector<bool>& usable, const std::vector<bool>& idle, const Likes& likes)
    : topology_(topology), costs_(costs), rules_(rules), tiers_(static_cast<int>(topology.tiers().size())) {
  for (int tier = kNoTier; tier < tiers_; ++tier) {
    same_.push_back(costs.Same(tier));
    cross_.push_back(costs.Cross(tier));
  }
  BuildDomains(domain, usable, idle, likes);
  ancestors_.assign(slots_.size() * tiers_, -1);
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    own_.push_back(domains_[slots_[slot].domain].tier + 1);
    for (int32_t d = slots_[slot].domain; d >= 0; d = domains_[d].parent) {
      if (domains_[d].tier != kNoTier) ancestors_[slot * tiers_ + domains_[d].tier] = d;
    }
  }
  Pack();
}

void Site::BuildDomains(DomainIndex top, const std::vector<bool>& usable, const std::vector<bool>& idle,
                        const Likes& likes) {
  const int32_t end = topology_.domain(top).last_domain;
  const int32_t begin = top.value();
  std::vector<int32_t> nodes(end - begin);
  std::vector<int32_t> well(end - begin);
  for (int32_t d = end; d-- > begin;) {
    const Domain& domain = topology_.domains()[d];
    for (const NodeIndex node : domain.own_nodes) {
      well[d - begin] += idle[node.value()] ? 1 : 0;
      if (!usable[node.value()]) continue;
      ++(KnowsTiers(rules_, topology_, node) ? nodes[d - begin] : left_out_);
    }
    if (d == begin) break;
    nodes[domain.parent.value() - begin] += nodes[d - begin];
    well[domain.parent.value() - begin] += well[d - begin];
  }
  std::vector<int32_t> place(end - begin, -1);
  std::vector<int32_t> open;
  // Own nodes come after the finer domains, so that slots stand in tree order.
  const auto close = [&](int32_t until) {
    while (!open.empty() && topology_.domain(domains_[open.back()].domain).last_domain <= until) {
      SiteDomain& closing = domains_[open.back()];
      Slot own{closing.domain, open.back(), {}, 0, 0};
      for (const NodeIndex node : topology_.domain(closing.domain).own_nodes) {
        if (usable[node.value()] && KnowsTiers(rules_, topology_, node)) own.nodes.push_back(node);
      }
      if (!likes.avoided.empty() || !likes.preferred.empty()) {
        std::stable_sort(own.nodes.begin(), own.nodes.end(),
                         [&](NodeIndex a, NodeIndex b) { return likes.Rank(a) < likes.Rank(b); });
      }
      for (const NodeIndex node : own.nodes) {
        own.preferred += likes.Prefers(node) ? 1 : 0;
        own.welcome += likes.Avoids(node) ? 0 : 1;
      }
      prefers_ |= own.preferred > 0;
      avoids_ |= own.welcome < own.capacity();
      if (!own.nodes.empty()) {
        closing.slot = static_cast<int32_t>(slots_.size());
        slots_.push_back(std::move(own));
      }
      closing.last_slot = static_cast<int32_t>(slots_.size());
      closing.last_domain = static_cast<int32_t>(domains_.size());
      open.pop_back();
    }
  };
  for (int32_t d = begin; d < end; ++d) {
    if (nodes[d - begin] == 0 && d != begin) continue;
    close(d);
    const Domain& domain = topology_.domains()[d];
    SiteDomain added;
    added.domain = DomainIndex(d);
    added.tier = domain.tier;
    added.parent = open.empty() ? -1 : open.back();
    added.first_slot = static_cast<int32_t>(slots_.size());
    added.nodes = nodes[d - begin];
    added.size = domain.size();
    added.idle = well[d - begin];
    const auto index = static_cast<int32_t>(domains_.size());
    if (!open.empty()) domains_[open.back()].children.push_back(index);
    domains_.push_back(std::move(added));
    open.push_back(index);
  }
  close(end);
}

void Site::Pack() {
  if (slots_.empty()) return;
  // A slot's ordinal among its siblings at each tier; what an unknown tier hides counts as a sibling of its own.
  const size_t depth = tiers_ + 1;  // the last tells apart the slots of one path
  std::vector<uint32_t> ordinals(slots_.size() * depth);
  std::vector<uint32_t> most(depth);
  for (size_t slot = 1; slot < slots_.size(); ++slot) {
    const auto parted = static_cast<size_t>(SharedByPath(static_cast<int32_t>(slot) - 1, static_cast<int32_t>(slot)));
    for (size_t tier = 0; tier <= parted; ++tier) {
      uint32_t& ordinal = ordinals[slot * depth + tier];
      ordinal = ordinals[(slot - 1) * depth + tier] + (tier == parted ? 1 : 0);
      most[tier] = std::max(most[tier], ordinal);
    }
  }
  int bits = 0;
  for (const uint32_t m : most) bits += std::bit_width(m);
  if (bits > 64) return;
  packed_ = true;
  codes_.assign(slots_.size(), 0);
  int at = 64 - bits;
  for (size_t tier = 0; tier < depth; ++tier) {
    const int width = std::bit_width(most[tier]);
    for (int i = 0; i < width; ++i) level_[at + i] = static_cast<int>(tier);
    at += width;
    for (size_t slot = 0; slot < slots_.size(); ++slot)
      codes_[slot] = codes_[slot] << width | ordinals[slot * depth + tier];
  }
}

int Site::SharedByPath(int32_t a, int32_t b) const {
  for (int tier = tiers_; tier-- > 0;) {
    if (Shares(a, b, tier)) return tier + 1;
  }
  return 0;
}

int64_t Site::CostOf(const UnitTraffic& traffic, const Layout& layout, int64_t enough) const {
  int64_t cost = 0;
  for (const UnitEdge& edge : traffic.edges) {
    const int shared = Shared(layout[edge.a], layout[edge.b]);
    cost += edge.same_rail * same_[shared] + edge.cross_rail * cross_[shared];
    if (cost >= enough) return cost;
  }
  if (traffic.cliques.empty()) return cost;
  return cost + placement::CostOf({}, traffic.cliques, topology_, costs_, NodesOf(layout));
}

Units Site::NodesOf(const Layout& layout) const {
  std::vector<size_t> taken(slots_.size());
  Units units;
  units.reserve(layout.size());
  for (const int32_t slot : layout) units.push_back(slots_[slot].nodes[taken[slot]++]);
  return units;
}

}  // namespace muster::placement
