#include "lib/placement/likes.h"

namespace muster::placement {
namespace {

template <typename Names>
std::vector<bool> Marked(const Names& names, const Topology& topology) {
  std::vector<bool> marked;
  if (names.empty()) return marked;
  marked.resize(topology.size());
  for (const auto& name : names) {
    if (const auto node = topology.Find(name)) marked[node->value()] = true;
  }
  return marked;
}

}  // namespace

Likes LikesOf(const Request& request, const Cluster& cluster) {
  const v1::PlacementSpec& wanted = request.spec.placement();
  Likes likes{Marked(wanted.avoid_nodes(), *cluster.topology), Marked(wanted.prefer_nodes(), *cluster.topology)};
  for (size_t i = 0; i < likes.avoided.size() && !likes.preferred.empty(); ++i) {
    if (likes.avoided[i]) likes.preferred[i] = false;
  }
  return likes;
}

}  // namespace muster::placement
