#pragma once
// Internal to record: the alternatives of State, each way.

#include <optional>

#include "lib/gang/record.pb.h"
#include "lib/gang/state.h"

namespace muster::gang {

void WriteState(const State& state, store::v1::GangRecord& record);
// nullopt: the record has none that is known.
std::optional<State> ReadState(const store::v1::GangRecord& record);

}  // namespace muster::gang
