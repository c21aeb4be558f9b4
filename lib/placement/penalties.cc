#include "lib/placement/penalties.h"

#include <algorithm>

namespace muster::placement {
namespace {

// Largest penalty times nodes.
constexpr int64_t kMaxCost = int64_t{1} << 50;

}  // namespace

int64_t AboveTraffic(const Request& request, const HopCosts& costs) {
  int64_t most = 1;
  for (const UnitEdge& edge : request.traffic.edges) {
    most += edge.same_rail * costs.Same(kNoTier) + edge.cross_rail * costs.Cross(kNoTier);
  }
  return most;
}

int64_t PreferredPenalty(const Request& request, const HopCosts& costs) {
  if (request.preferred_penalty >= 0) return request.preferred_penalty;
  return std::min(AboveTraffic(request, costs), kMaxCost / request.units);
}

int64_t AvoidPenalty(const Request& request, const HopCosts& costs, int32_t spares) {
  const int64_t nodes = int64_t{request.units} + spares;
  if (request.traffic.items.empty()) return kMaxCost / nodes;  // before the spread, which has large numbers
  int64_t rest = std::min(AboveTraffic(request, costs), kMaxCost);
  rest += std::min(PreferredPenalty(request, costs), kMaxCost / request.units) * request.units;
  rest += std::min(request.spare_weight * costs.Same(kNoTier), kMaxCost / request.units) * request.units;
  return std::max<int64_t>(1, std::min(rest, kMaxCost / nodes));
}

}  // namespace muster::placement
