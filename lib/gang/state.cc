#include "lib/gang/state.h"

namespace muster::gang {
namespace {

template <class... Ts>
struct Overload : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overload(Ts...) -> Overload<Ts...>;

}  // namespace

v1::Phase PhaseOf(const State& state) {
  return std::visit(Overload{
                        [](const Queued&) { return v1::QUEUED; },
                        [](const Awaiting&) { return v1::AWAITING; },
                        [](const Placed&) { return v1::PLACED; },
                        [](const Testing&) { return v1::TESTING; },
                        [](const Assembling&) { return v1::ASSEMBLING; },
                        [](const Running&) { return v1::RUNNING; },
                        [](const Repairing&) { return v1::REPAIRING; },
                        [](const Stopping&) { return v1::STOPPING; },
                        [](const Finished&) { return v1::FINISHED; },
                    },
                    state);
}

PlacementPtr PlacementOf(const State& state) {
  return std::visit(Overload{
                        [](const Queued&) { return PlacementPtr(); },
                        [](const Awaiting&) { return PlacementPtr(); },
                        [](const Running& s) { return s.released->placement; },
                        [](const Repairing& s) { return s.replacement ? s.replacement : s.placement; },
                        [](const Stopping&) { return PlacementPtr(); },
                        [](const Finished&) { return PlacementPtr(); },
                        [](const auto& s) { return s.placement; },
                    },
                    state);
}

}  // namespace muster::gang
