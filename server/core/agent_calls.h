#pragma once
// What AgentService asks of the core. On the loop; requests are valid in form.

#include "absl/time/time.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "server/core/core.h"
#include "server/core/keys.h"
#include "server/core/reply.h"

namespace muster::core {

// The node is lost until its agent comes for orders: that it registers doesn't show that it follows this coordinator.
// RESOURCE_EXHAUSTED: too many nodes; FAILED_PRECONDITION (STALE): a newer session of the node has it.
void RegisterAgent(Core& core, const v1::RegisterRequest& request, Reply<v1::RegisterResponse> reply);
// FAILED_PRECONDITION (STALE): register again.
void NextTask(Core& core, CallId id, const v1::NextTaskRequest& request, absl::Duration poll,
              Reply<v1::NextTaskResponse> reply);
void ReportTask(Core& core, const v1::ReportTaskRequest& request, Reply<v1::ReportTaskResponse> reply);

}  // namespace muster::core
