#include "lib/gang/step.h"

#include "lib/gang/moves.h"

namespace muster::gang {

Change Step(Gang& gang, const Event& event, absl::Time now) {
  Change change;
  Turn turn{.gang = gang, .now = now, .change = change, .limits = LimitsOf(*gang.spec)};
  std::visit([&turn](const auto& e) { On(turn, e); }, event);
  if (change.durable) ++gang.revision;
  return change;
}

}  // namespace muster::gang
