#include "lib/gang/seats.h"

#include <utility>

namespace muster::gang {
namespace {

std::vector<NodeRank> ByIndex(int32_t members) {
  std::vector<NodeRank> ranks;
  ranks.reserve(members);
  for (int32_t i = 0; i < members; ++i) ranks.push_back(NodeRank(i));
  return ranks;
}

// The rank of each pod index, if the placement names them all, each once.
std::vector<NodeRank> ByNamedIndex(const v1::Placement& placement) {
  const int32_t members = placement.ranks_size();
  std::vector<NodeRank> ranks(members, NodeRank(-1));
  for (int32_t rank = 0; rank < members; ++rank) {
    const int32_t index = placement.ranks(rank).pod_index();
    if (index < 0 || index >= members || ranks[index].value() >= 0) return {};
    ranks[index] = NodeRank(rank);
  }
  return ranks;
}

}  // namespace

bool SeatedByIndex(const v1::JobSpec& spec) {
  return spec.placement().rank_by() == v1::PlacementSpec::INDEX || spec.launch().kind() == v1::LaunchSpec::AGENT;
}

Seats::Seats(const v1::Placement& placement, bool by_index)
    : fixed_(by_index ? ByIndex(placement.ranks_size()) : ByNamedIndex(placement)) {
  for (int32_t rank = 0; rank < placement.ranks_size(); ++rank) {
    const v1::PlacedNode& placed = placement.ranks(rank);
    const auto [it, first] = by_uid_.emplace(NodeUid(placed.node_uid()), nodes_.size());
    if (first) {
      by_name_.emplace(placed.node(), nodes_.size());
      nodes_.push_back({.uid = it->first, .name = placed.node(), .address = placed.address(), .ranks = {}});
    }
    nodes_[it->second].ranks.push_back(NodeRank(rank));
    node_of_rank_.push_back(it->second);
  }
}

const Seats::Node* Seats::FindUid(const NodeUid& uid) const {
  const auto it = by_uid_.find(uid);
  return it == by_uid_.end() ? nullptr : &nodes_[it->second];
}

const Seats::Node* Seats::FindName(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &nodes_[it->second];
}

bool Seats::Fits(PodIndex index, const std::string& node) const {
  if (index.value() < 0 || static_cast<size_t>(index.value()) >= node_of_rank_.size()) return false;
  if (fixed_.empty()) return FindName(node) != nullptr;
  return node.empty() || nodes_[node_of_rank_[fixed_[index.value()].value()]].name == node;
}

std::vector<std::string> Seats::NodesFor(PodIndex index) const {
  std::vector<std::string> names;
  if (index.value() < 0 || static_cast<size_t>(index.value()) >= node_of_rank_.size()) return names;
  if (!fixed_.empty()) {
    names.push_back(nodes_[node_of_rank_[fixed_[index.value()].value()]].name);
  } else {
    for (size_t i = 0; i < nodes_.size() && names.size() < 3; ++i) names.push_back(nodes_[i].name);
  }
  return names;
}

std::optional<std::vector<NodeRank>> Seats::Rank(const std::vector<std::string>& node_by_index,
                                                 std::set<PodIndex>* surplus) const {
  if (node_by_index.size() != node_of_rank_.size()) return std::nullopt;
  if (!fixed_.empty()) return fixed_;
  std::vector<size_t> taken(nodes_.size(), 0);
  std::vector<NodeRank> ranks(node_by_index.size());
  for (size_t i = 0; i < node_by_index.size(); ++i) {
    const Node* node = FindName(node_by_index[i]);
    size_t* next = node == nullptr ? nullptr : &taken[node - nodes_.data()];
    if (next == nullptr || *next == node->ranks.size()) {
      surplus->insert(PodIndex(static_cast<int32_t>(i)));
    } else {
      ranks[i] = node->ranks[(*next)++];
    }
  }
  // Equally many members and ranks: no surplus means that every rank is taken, once.
  if (!surplus->empty()) return std::nullopt;
  return ranks;
}

}  // namespace muster::gang
