#pragma once
// A worker's way through a plan, step by step.

#include <functional>

#include "absl/time/time.h"
#include "client/agent/backend.h"
#include "client/agent/child.pb.h"
#include "client/key_value/key_value_client.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::agent {

// Runs every step that has a group of `order.worker()` and hands each result to `done` at once, in order: measured, or
// with the error. A group that broke is not used again; other groups go on. Groups stay open until all members of all
// of this worker's groups are done (Gloo's peers break when one closes early), within `deadline`.
void RunPlan(const ChildOrder& order, Backend& backend, KeyValueClient& exchange, absl::Time deadline,
             const std::function<void(const v1::StepResult&)>& done);

}  // namespace muster::agent
