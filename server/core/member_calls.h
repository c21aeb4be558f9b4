#pragma once
// What WorkerService asks of the core. On the loop; requests are valid in form.

#include "absl/time/time.h"
#include "proto/muster/v1/worker_service.pb.h"
#include "server/core/core.h"
#include "server/core/keys.h"
#include "server/core/reply.h"

namespace muster::core {

// Held until the member has its ranks, or for `poll`. Errors: outcome.proto's table.
void GetRank(Core& core, CallId id, const v1::GetRankRequest& request, absl::Duration poll,
             Reply<v1::GetRankResponse> reply);
void WatchGang(Core& core, CallId id, const v1::WatchGangRequest& request, absl::Duration poll,
               Reply<v1::WatchGangResponse> reply);
void ReportExit(Core& core, const v1::ReportExitRequest& request, Reply<v1::ReportExitResponse> reply);
// The caller of a held call of any kind has gone.
void Abandon(Core& core, CallId id);

}  // namespace muster::core
