#pragma once
// The calls of members that the core holds: GetRank until there is a rank, WatchGang until the epoch is over.

#include "absl/time/time.h"
#include "lib/gang/answer.h"
#include "proto/muster/v1/worker_service.pb.h"
#include "server/core/held_calls.h"
#include "server/core/reply.h"

namespace muster::core {

struct RankCall {
  CallId id = 0;
  JobKey job = 0;
  PodIndex index;
  absl::Time expires;
  absl::Time since;
  gang::Caller caller;
  Reply<v1::GetRankResponse> reply;
};

struct WatchCall {
  CallId id = 0;
  JobKey job = 0;
  PodIndex index;
  absl::Time expires;
  gang::Caller caller;
  Epoch epoch;
  Reply<v1::WatchGangResponse> reply;
};

}  // namespace muster::core
