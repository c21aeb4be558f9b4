#include "lib/selftest/node_groups.h"

#include <algorithm>

#include "lib/selftest/matchings.h"

namespace muster::selftest {
namespace {

// Strides where the ranks are evenly apart, so that a wide group stays small.
v1::TestGroup GroupOf(int64_t index, const std::vector<int64_t>& ranks) {
  v1::TestGroup group;
  group.set_index(index);
  v1::StridedGroup& message = *group.mutable_ranks();
  const int64_t stride = ranks[1] - ranks[0];
  bool even = stride > 0;
  for (size_t i = 1; even && i < ranks.size(); ++i) even = ranks[i] - ranks[i - 1] == stride;
  if (!even) {
    for (int64_t rank : ranks) message.add_members(rank);
    return group;
  }
  message.set_base(ranks[0]);
  message.add_strides(stride);
  message.add_sizes(static_cast<int64_t>(ranks.size()));
  return group;
}

bool ByIndex(const v1::TestGroup& a, const v1::TestGroup& b) { return a.index() < b.index(); }

void AddPair(const Parties& parties, const PairTest& pair, size_t rail, std::vector<v1::TestGroup>& groups) {
  const std::vector<int64_t>&a = parties[pair.a].workers, &b = parties[pair.b].workers;
  if (rail >= a.size() || rail >= b.size()) return;
  const int64_t n = parties.size();
  const int64_t index = (static_cast<int64_t>(rail) * n + pair.a) * n + pair.b;
  groups.push_back(GroupOf(index, {std::min(a[rail], b[rail]), std::max(a[rail], b[rail])}));
}

}  // namespace

std::vector<v1::TestGroup> NodeGroups(const Parties& parties) {
  std::vector<v1::TestGroup> groups;
  for (int p = 0; p < parties.size(); ++p) {
    if (parties[p].workers.size() > 1) groups.push_back(GroupOf(p, parties[p].workers));
  }
  return groups;
}

std::vector<v1::TestGroup> RailGroups(const Parties& parties, int widest) {
  std::vector<v1::TestGroup> groups;
  const int slices = (parties.size() + widest - 1) / widest;
  for (int rail = 0; rail < parties.fabric().rails; ++rail) {
    std::vector<std::vector<int64_t>> ranks(static_cast<size_t>(std::max(slices, 1)));
    for (int p = 0; p < parties.size(); ++p) {
      const std::vector<int64_t>& workers = parties[p].workers;
      if (static_cast<size_t>(rail) >= workers.size()) continue;
      // Spread evenly: no slice is much shorter than the others.
      ranks[static_cast<size_t>(int64_t{p} * slices / parties.size())].push_back(workers[static_cast<size_t>(rail)]);
    }
    for (size_t s = 0; s < ranks.size(); ++s) {
      if (ranks[s].size() > 1) groups.push_back(GroupOf(int64_t{rail} * slices + static_cast<int64_t>(s), ranks[s]));
    }
  }
  return groups;
}

std::vector<v1::TestGroup> PairGroups(const Parties& parties, const PairStep& pairs) {
  std::vector<v1::TestGroup> groups;
  for (const PairTest& pair : pairs) {
    for (int rail = 0; rail < parties.fabric().rails; ++rail) AddPair(parties, pair, static_cast<size_t>(rail), groups);
  }
  std::sort(groups.begin(), groups.end(), ByIndex);
  return groups;
}

std::vector<v1::TestGroup> PairGroups(const Parties& parties, const PairStep& pairs, int rail) {
  std::vector<v1::TestGroup> groups;
  for (const PairTest& pair : pairs) AddPair(parties, pair, static_cast<size_t>(rail), groups);
  std::sort(groups.begin(), groups.end(), ByIndex);
  return groups;
}

std::vector<v1::TestGroup> InsideGroups(const Parties& parties, int party, int round) {
  std::vector<v1::TestGroup> groups;
  const std::vector<int64_t>& workers = parties[party].workers;
  const auto n = static_cast<int64_t>(workers.size());
  for (const auto& [a, b] : Matching(static_cast<int>(n), round)) {
    const int64_t index = (int64_t{party} * n + a) * n + b;
    groups.push_back(GroupOf(index, {workers[static_cast<size_t>(a)], workers[static_cast<size_t>(b)]}));
  }
  return groups;
}

std::vector<v1::TestGroup> NeighbourGroups(const mesh::Family& chain, bool odd) {
  std::vector<v1::TestGroup> groups;
  const int64_t longest = chain.max_size();
  for (int64_t g = 0; g < chain.count(); ++g) {
    const mesh::Group group = chain.group(g);
    for (int64_t j = odd ? 1 : 0; j + 1 < group.size(); j += 2) {
      const int64_t a = group.member(j), b = group.member(j + 1);
      groups.push_back(GroupOf(g * longest + j, {std::min(a, b), std::max(a, b)}));
    }
  }
  return groups;
}

PairOf PairOfResult(const Parties& parties, const v1::GroupResult& result) {
  const std::vector<int> nodes = parties.OfNodeRanks(result.node_ranks());
  if (result.ranks_head().empty()) return {};
  const int rail = parties.RailOf(result.ranks_head(0));
  if (result.family() == kInsideFamily && nodes.size() == 1) return {nodes[0], -1, rail};
  if (result.family() != kPairFamily && result.family() != kRailAloneFamily) return {};
  return nodes.size() == 2 ? PairOf{nodes[0], nodes[1], rail} : PairOf{};
}

bool IsProbe(const std::string& family) { return family == kRailAloneFamily || family == kInsideFamily; }

}  // namespace muster::selftest
