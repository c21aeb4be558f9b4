#pragma once
// What JobService and SelfTestService ask of the core. Requests are valid in form (lengths, ranges, spec); what depends
// on the state is looked at here. On the loop.

#include <memory>
#include <string>

#include "proto/muster/v1/job_service.pb.h"
#include "proto/muster/v1/self_test_service.pb.h"
#include "server/core/core.h"
#include "server/core/derive.h"
#include "server/core/explain.h"
#include "server/core/job_watchers.h"
#include "server/core/keys.h"
#include "server/core/reply.h"

namespace muster::core {

// ALREADY_EXISTS: a job of that name lives; RESOURCE_EXHAUSTED: too many; INVALID_ARGUMENT: no such mesh, or a waiver
// that the namespace may not have. `derived` is of the request's spec (JobOf names it).
void Submit(Core& core, const v1::SubmitRequest& request, const Derived& derived, Reply<v1::SubmitResponse> reply);
// namespace/name of the job that is asked for. Any thread.
std::string JobOf(const v1::SubmitRequest& request);
void GetJob(Core& core, const v1::GetJobRequest& request, Reply<v1::Job> reply);
void ListJobs(Core& core, const v1::ListJobsRequest& request, Reply<v1::ListJobsResponse> reply);
void WatchJob(Core& core, CallId id, const v1::WatchJobRequest& request, std::shared_ptr<JobSink> sink);
void CancelJob(Core& core, const v1::CancelJobRequest& request, Reply<v1::Job> reply);
void ExplainJob(Core& core, const v1::ExplainRequest& request, Reply<ToExplain> reply);
// FAILED_PRECONDITION: a named node isn't free.
void StartSelfTest(Core& core, const v1::StartSelfTestRequest& request, Reply<v1::StartSelfTestResponse> reply);

}  // namespace muster::core
