#pragma once
// What a release made: immutable, shared with the threads that answer GetRank, so that these need no lock and no loop.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lib/base/ids.h"
#include "lib/gang/facts.h"
#include "lib/gang/incarnation.h"

namespace muster::gang {

struct Released {
  Epoch epoch;
  Attempt attempt;
  PlacementPtr placement;
  struct Member {
    NodeRank rank;
    Incarnation incarnation;
    // Serialized muster.v1.Assignment.
    std::string assignment;
    // One call a worker: by local rank, the worker's incarnation and assignment. Else empty.
    std::map<int32_t, std::pair<Incarnation, std::string>> workers;
    friend bool operator==(const Member&, const Member&) = default;
  };
  // Every index of 0..members-1.
  std::map<PodIndex, Member> members;
};
using ReleasedPtr = std::shared_ptr<const Released>;

}  // namespace muster::gang
