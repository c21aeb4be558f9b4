#include "lib/placement/dimensions.h"

#include <set>

namespace muster::placement {
namespace {

std::vector<Dimension> DimsOf(const std::vector<int64_t>& strides, int32_t units) {
  std::vector<Dimension> dims;
  int64_t below = 1;
  for (const int64_t end : strides) {
    if (end <= below || end % below != 0 || units % end != 0) continue;
    dims.push_back({below, end / below});
    below = end;
  }
  if (below < units) dims.push_back({below, units / below});
  return dims;
}

Factor FactorOf(const ItemTraffic& item, const std::vector<Dimension>& dims, int32_t units) {
  Factor factor;
  std::set<size_t> changed;
  for (const UnitEdge& edge : item.edges) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (edge.a / dims[d].stride % dims[d].size != edge.b / dims[d].stride % dims[d].size) changed.insert(d);
    }
  }
  factor.dims.assign(changed.begin(), changed.end());
  int64_t copies = units;
  for (const size_t d : factor.dims) copies /= dims[d].size;
  int64_t whole = 0;
  int64_t part = 0;
  for (const UnitEdge& edge : item.edges) {
    whole += edge.same_rail + edge.cross_rail;
    bool at_zero = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (changed.count(d) == 0 && edge.a / dims[d].stride % dims[d].size != 0) at_zero = false;
    }
    if (!at_zero) continue;
    part += edge.same_rail + edge.cross_rail;
    factor.edges.push_back({edge.a, edge.b, edge.same_rail * item.weight, edge.cross_rail * item.weight});
  }
  factor.uniform = part * copies == whole &&
                   static_cast<int64_t>(factor.edges.size()) * copies == static_cast<int64_t>(item.edges.size());
  if (factor.uniform) return factor;
  factor.edges.clear();
  for (const UnitEdge& edge : item.edges) {
    factor.edges.push_back({edge.a, edge.b, edge.same_rail * item.weight, edge.cross_rail * item.weight});
  }
  return factor;
}

}  // namespace

Dimensions Dimensions::Of(const UnitTraffic& traffic, int32_t units) {
  Dimensions found;
  found.dims = DimsOf(traffic.strides, units);
  for (const ItemTraffic& item : traffic.items) {
    if (item.weight == 0 || item.edges.empty()) continue;
    found.factors.push_back(FactorOf(item, found.dims, units));
  }
  return found;
}

}  // namespace muster::placement
