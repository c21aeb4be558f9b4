#include "lib/selftest/parties.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace muster::selftest {

Parties::Parties(const Setting& setting) {
  if (setting.placement == nullptr) return;
  const v1::Placement& placement = *setting.placement;
  tiers_.assign(placement.tiers().begin(), placement.tiers().end());
  std::map<std::string, int> numbers;
  for (int r = 0; r < placement.ranks_size(); ++r) {
    const v1::PlacedNode& node = placement.ranks(r);
    const auto [at, fresh] = numbers.emplace(node.node_uid(), size());
    if (fresh) parties_.push_back({NodeUid{node.node_uid()}, node.node(), {}});
    of_node_rank_.push_back(at->second);
    std::vector<int64_t>& workers = parties_[static_cast<size_t>(at->second)].workers;
    for (int32_t local = 0; local < setting.workers_per_member; ++local) {
      const int64_t rank = setting.FirstRank() + int64_t{r} * setting.workers_per_member + local;
      rail_of_[rank] = static_cast<int>(workers.size());
      workers.push_back(rank);
    }
  }
  fabric_.nodes = size();
  for (const Party& party : parties_) fabric_.rails = std::max(fabric_.rails, static_cast<int>(party.workers.size()));
  fabric_.domains.assign(tiers_.size(), std::vector<int>(parties_.size(), -1));
  domains_.resize(tiers_.size());
  std::vector<std::map<std::string, int>> paths(tiers_.size());
  for (int r = 0; r < placement.ranks_size(); ++r) {
    const v1::PlacedNode& node = placement.ranks(r);
    std::string path;
    for (size_t t = 0; t < tiers_.size() && static_cast<int>(t) < node.topology_path_size(); ++t) {
      const std::string& label = node.topology_path(static_cast<int>(t));
      // Unknown is equal to nothing, but finer domains below it may still be known.
      absl::StrAppend(&path, t == 0 ? "" : "/", label);
      if (label.empty()) continue;
      const int id = paths[t].emplace(path, static_cast<int>(paths[t].size())).first->second;
      domains_[t][id] = path;
      fabric_.domains[t][static_cast<size_t>(of_node_rank_[static_cast<size_t>(r)])] = id;
    }
  }
}

int Parties::OfNodeRank(int32_t node_rank) const {
  const auto at = static_cast<size_t>(node_rank);
  return node_rank >= 0 && at < of_node_rank_.size() ? of_node_rank_[at] : -1;
}

std::vector<int> Parties::OfNodeRanks(absl::Span<const int32_t> node_ranks) const {
  std::vector<int> parties;
  for (int32_t rank : node_ranks) {
    if (const int party = OfNodeRank(rank); party >= 0) parties.push_back(party);
  }
  std::sort(parties.begin(), parties.end());
  parties.erase(std::unique(parties.begin(), parties.end()), parties.end());
  return parties;
}

int Parties::RailOf(int64_t global_rank) const {
  const auto at = rail_of_.find(global_rank);
  return at == rail_of_.end() ? -1 : at->second;
}

std::string Parties::DomainName(int tier, int id) const {
  if (tier < 0 || static_cast<size_t>(tier) >= domains_.size()) return "";
  const auto at = domains_[static_cast<size_t>(tier)].find(id);
  return at == domains_[static_cast<size_t>(tier)].end() ? "" : at->second;
}

int Parties::SpanOf(absl::Span<const int32_t> node_ranks) const {
  const std::vector<int> parties = OfNodeRanks(node_ranks);
  if (parties.size() < 2) return 0;
  for (size_t t = tiers_.size(); t-- > 0;) {
    const std::vector<int>& domains = fabric_.domains[t];
    const int first = domains[static_cast<size_t>(parties.front())];
    const auto same = [&](int p) { return domains[static_cast<size_t>(p)] == first; };
    if (first >= 0 && std::all_of(parties.begin(), parties.end(), same)) return static_cast<int>(tiers_.size() - t);
  }
  return static_cast<int>(tiers_.size()) + 1;
}

std::string Parties::SpanName(int span) const {
  if (span <= 0) return "node";
  const auto from_fine = static_cast<size_t>(span);
  return from_fine <= tiers_.size() ? tiers_[tiers_.size() - from_fine] : "cluster";
}

}  // namespace muster::selftest
