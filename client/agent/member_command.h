#pragma once
// How a member is started: `muster exec` under a keeper, in an environment of its own.

#include <string>

#include "absl/status/statusor.h"
#include "client/agent/agent_setting.h"
#include "client/agent/process.h"
#include "proto/muster/v1/task.pb.h"

namespace muster::agent {

// Environment: PATH, HOME, LANG, the job's own variables, then Muster's, which a job can't override: MUSTER_SERVER,
// MUSTER_JOB (namespace/name), MUSTER_JOB_UID, MUSTER_POD_INDEX, MUSTER_NODE, MUSTER_ADDRESS,
// MUSTER_INCARNATION_RESTART_ATTEMPT, MUSTER_INCARNATION_CREATED (RFC 3339; absent without), MUSTER_INCARNATION_UID,
// MUSTER_INCARNATION_ORDINAL and MUSTER_LOGS (MemberFolder). Runs in the order's working folder, default the member's
// log folder. INVALID_ARGUMENT: a name or value that no environment can hold, an empty command, a relative working
// folder.
absl::StatusOr<ProcessSpec> MemberCommand(const AgentSetting& setting, const v1::Task& task,
                                          const v1::StartMembers::Member& member);

// <data>/logs/<job uid>/<pod index>: standard output and error of a member, in the files "out" and "err".
std::string MemberFolder(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index);

// Of the member's keeper (keeper.h). Not among the logs, which people tidy.
std::string RunningFile(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index);

// MUSTER_LOGS=…: by this a process is known as the member's, or what it has left, as nobody else on the host has it.
std::string MemberMark(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index);

}  // namespace muster::agent
