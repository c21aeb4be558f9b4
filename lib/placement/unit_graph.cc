#include "lib/placement/unit_graph.h"

namespace muster::placement {

UnitGraph::UnitGraph(const UnitTraffic& traffic, int32_t units) : first_(units + 1) {
  for (const UnitEdge& edge : traffic.edges) {
    ++first_[edge.a + 1];
    ++first_[edge.b + 1];
    has_cross_rail_ |= edge.cross_rail != 0;
  }
  for (int32_t u = 0; u < units; ++u) first_[u + 1] += first_[u];
  links_.resize(first_[units]);
  std::vector<int32_t> next(first_.begin(), first_.end() - 1);
  // Edges ascend by (a, b): a unit's lesser partners come first, each in order.
  for (const UnitEdge& edge : traffic.edges) links_[next[edge.b]++] = {edge.a, edge.same_rail, edge.cross_rail};
  for (const UnitEdge& edge : traffic.edges) links_[next[edge.a]++] = {edge.b, edge.same_rail, edge.cross_rail};
}

}  // namespace muster::placement
