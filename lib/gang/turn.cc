#include "lib/gang/moves.h"

namespace muster::gang {

v1::PlacementSpec::Source SourceOf(const Gang& gang) {
  const auto source = gang.spec->placement().source();
  return source == v1::PlacementSpec::SOURCE_UNSPECIFIED ? v1::PlacementSpec::MUSTER : source;
}

v1::LaunchSpec::Kind LaunchOf(const Gang& gang) {
  const auto kind = gang.spec->launch().kind();
  return kind == v1::LaunchSpec::KIND_UNSPECIFIED ? v1::LaunchSpec::EXTERNAL : kind;
}

bool MusterStarts(const Gang& gang) {
  return LaunchOf(gang) == v1::LaunchSpec::AGENT || LaunchOf(gang) == v1::LaunchSpec::KUBERNETES;
}

bool NodesAreGiven(const Gang& gang) { return SourceOf(gang) != v1::PlacementSpec::MUSTER; }

void Turn::Moved(std::string why) {
  gang.since = now;
  gang.why = std::move(why);
  change.phases.push_back(PhaseOf(gang.state));
  change.durable = change.demands = change.wake_all = true;
}

OrderNumber Turn::NextOrder() {
  Durable();
  change.demands = true;
  return gang.order = OrderNumber(gang.order.value() + 1);
}

}  // namespace muster::gang
