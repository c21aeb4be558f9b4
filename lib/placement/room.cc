#include "lib/placement/room.h"

#include <algorithm>
#include <bit>

namespace muster::placement {
namespace {

using Sizes = std::vector<uint64_t>;

bool Has(const Sizes& sizes, int64_t size) {
  return static_cast<size_t>(size / 64) < sizes.size() && (sizes[size / 64] >> (size % 64) & 1) != 0;
}

Sizes UpTo(int64_t most) {
  Sizes sizes(most / 64 + 1, ~uint64_t{0});
  if (most % 64 < 63) sizes.back() = (uint64_t{1} << (most % 64 + 1)) - 1;
  return sizes;
}

int64_t Largest(const Sizes& sizes) {
  for (size_t word = sizes.size(); word-- > 0;) {
    if (sizes[word] != 0) return static_cast<int64_t>(word) * 64 + 63 - std::countl_zero(sizes[word]);
  }
  return 0;
}

// All sums of one of each, up to `most`.
Sizes Sums(const Sizes& a, const Sizes& b, int64_t most) {
  const Sizes& few = a.size() < b.size() ? a : b;
  const Sizes& many = a.size() < b.size() ? b : a;
  Sizes sums(std::min<size_t>(most / 64 + 1, a.size() + b.size()));
  for (int64_t shift = 0; shift < static_cast<int64_t>(few.size()) * 64; ++shift) {
    if (!Has(few, shift)) continue;
    const size_t words = shift / 64;
    const int bits = static_cast<int>(shift % 64);
    for (size_t i = 0; i < many.size() && i + words < sums.size(); ++i) {
      sums[i + words] |= many[i] << bits;
      if (bits > 0 && i + words + 1 < sums.size()) sums[i + words + 1] |= many[i] >> (64 - bits);
    }
  }
  const Sizes bound = UpTo(most);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] &= bound[i];
  return sums;
}

}  // namespace

Room::Room(const Topology& topology, const std::vector<bool>& usable, const Rules& rules, int64_t units, int64_t spares)
    : topology_(topology),
      rules_(rules),
      wanted_(units),
      spares_(spares),
      nodes_(topology.domains().size()),
      units_(topology.domains().size()) {
  Count(usable);
  if (!rules.counts.empty()) CountSizes(usable);
}

void Room::Count(const std::vector<bool>& usable) {
  // Children have greater indexes than their parents.
  for (size_t d = topology_.domains().size(); d-- > 0;) {
    const Domain& domain = topology_.domains()[d];
    for (const NodeIndex node : domain.own_nodes) {
      if (!usable[node.value()]) continue;
      ++nodes_[d];
      if (KnowsTiers(rules_, topology_, node)) ++units_[d];
    }
    for (const SliceRule& rule : rules_.slices) {
      if (rule.tier == domain.tier) units_[d] -= units_[d] % rule.units;
    }
    if (d == 0) break;
    nodes_[domain.parent.value()] += nodes_[d];
    units_[domain.parent.value()] += units_[d];
  }
}

void Room::CountSizes(const std::vector<bool>& usable) {
  sizes_.resize(topology_.domains().size());
  for (size_t d = topology_.domains().size(); d-- > 0;) {
    const Domain& domain = topology_.domains()[d];
    int64_t own = 0;
    for (const NodeIndex node : domain.own_nodes) {
      if (usable[node.value()] && KnowsTiers(rules_, topology_, node)) ++own;
    }
    Sizes& sizes = sizes_[d];
    const Sizes alone = UpTo(std::min(own, wanted_));
    sizes = sizes.empty() ? alone : Sums(sizes, alone, wanted_);
    Filter(domain.tier, sizes);
    units_[d] = Largest(sizes);
    if (d == 0) break;
    Sizes& above = sizes_[domain.parent.value()];
    above = above.empty() ? sizes : Sums(above, sizes, wanted_);
  }
}

void Room::Filter(int tier, Sizes& sizes) const {
  const auto keep = [&](const auto& allows) {
    for (int64_t size = 1; size < static_cast<int64_t>(sizes.size()) * 64; ++size) {
      if (!allows(size)) sizes[size / 64] &= ~(uint64_t{1} << (size % 64));
    }
  };
  for (const CountRule& rule : rules_.counts) {
    if (rule.tier == tier) keep([&](int64_t size) { return rule.Allows(size); });
  }
  for (const SliceRule& rule : rules_.slices) {
    if (rule.tier == tier) keep([&](int64_t size) { return size % rule.units == 0; });
  }
}

std::vector<int32_t> Room::Shares(DomainIndex domain) const {
  std::vector<int32_t> shares;
  const Domain& top = topology_.domain(domain);
  for (int32_t d = domain.value(); d < top.last_domain; ++d) {
    if (topology_.domains()[d].tier == rules_.apart.tier) shares.push_back(static_cast<int32_t>(units_[d]));
  }
  return shares;
}

int64_t Room::units(DomainIndex domain) const {
  if (rules_.apart.tier == kNoTier) {
    int64_t units = units_[domain.value()];
    for (const CountRule& rule : rules_.counts) {
      if (rule.tier < topology_.domain(domain).tier) units = std::min<int64_t>(units, rule.most);
    }
    return units;
  }
  const auto [at, added] = apart_units_.emplace(domain, 0);
  if (!added) return at->second;
  const std::vector<int32_t> shares = Shares(domain);
  // The most replicas that it has domains for: fewer are never harder.
  int32_t least = 0;
  int32_t most = rules_.apart.replicas;
  while (least < most) {
    const int32_t middle = (least + most + 1) / 2;
    if (CoverBins(shares, middle, rules_.apart.units).covered == Covered::kYes) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  at->second = int64_t{least} * rules_.apart.units;
  return at->second;
}

Covered Room::Answer(DomainIndex domain) const {
  const size_t d = domain.value();
  if (nodes_[d] < wanted_ + spares_ || units_[d] < wanted_) return Covered::kNo;
  if (!rules_.counts.empty() && !Has(sizes_[d], wanted_)) return Covered::kNo;
  for (const CountRule& rule : rules_.counts) {
    // The gang is whole in one domain of a coarser tier too.
    if (rule.tier < topology_.domain(domain).tier && !rule.Allows(wanted_)) return Covered::kNo;
  }
  if (rules_.apart.tier == kNoTier) return Covered::kYes;
  return CoverBins(Shares(domain), rules_.apart.replicas, rules_.apart.units).covered;
}

std::vector<DomainIndex> DomainsAllowed(const Topology& topology, int required_tier) {
  if (required_tier == kNoTier) return {Topology::root()};
  return topology.DomainsOfTier(required_tier);
}

}  // namespace muster::placement
