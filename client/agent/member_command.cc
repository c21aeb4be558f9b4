#include "client/agent/member_command.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/proto_time.h"

namespace muster::agent {
namespace {

absl::Status CheckVariable(const std::string& name, const std::string& value) {
  if (name.empty() || name.find_first_of(std::string("=\0", 2)) != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("env: '", name, "' is no name of a variable"));
  }
  if (value.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("env.", name, ": the value has a zero byte"));
  }
  return absl::OkStatus();
}

void AddIncarnation(const v1::Incarnation& incarnation, std::map<std::string, std::string>& env) {
  env["MUSTER_INCARNATION_RESTART_ATTEMPT"] = absl::StrCat(incarnation.restart_attempt());
  if (incarnation.has_created()) {
    env["MUSTER_INCARNATION_CREATED"] =
        absl::FormatTime(absl::RFC3339_full, FromProto(incarnation.created()), absl::UTCTimeZone());
  }
  env["MUSTER_INCARNATION_UID"] = incarnation.uid();
  env["MUSTER_INCARNATION_ORDINAL"] = absl::StrCat(incarnation.ordinal());
}

// Job uids are made by the coordinator, but a folder's name must not depend on its good will.
std::string AsFileName(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
  return safe.empty() ? "_" : safe.substr(0, 128);
}

}  // namespace

std::string MemberFolder(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index) {
  return absl::StrCat(setting.data, "/logs/", AsFileName(job_uid), "/", pod_index);
}

std::string RunningFile(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index) {
  return absl::StrCat(setting.data, "/running/", AsFileName(job_uid), ".", pod_index);
}

std::string MemberMark(const AgentSetting& setting, const std::string& job_uid, int32_t pod_index) {
  return absl::StrCat("MUSTER_LOGS=", MemberFolder(setting, job_uid, pod_index));
}

absl::StatusOr<ProcessSpec> MemberCommand(const AgentSetting& setting, const v1::Task& task,
                                          const v1::StartMembers::Member& member) {
  const v1::StartMembers& order = task.start_members();
  if (order.command().empty()) return absl::InvalidArgumentError("command: is empty; give a program and its arguments");
  if (!order.working_dir().empty() && order.working_dir()[0] != '/') {
    return absl::InvalidArgumentError(absl::StrCat("working_dir: '", order.working_dir(), "' is not absolute"));
  }
  std::map<std::string, std::string> env;
  for (const char* name : {"PATH", "HOME", "LANG"}) {
    if (const char* value = std::getenv(name)) env[name] = value;
  }
  for (const auto& [name, value] : order.env()) {
    if (absl::Status s = CheckVariable(name, value); !s.ok()) return s;
    env[name] = value;
  }
  const std::string& uid = task.mark().job_uid();
  env["MUSTER_SERVER"] = setting.server;
  env["MUSTER_JOB"] = task.job();
  env["MUSTER_JOB_UID"] = uid;
  env["MUSTER_POD_INDEX"] = absl::StrCat(member.pod_index());
  env["MUSTER_NODE"] = setting.node.name();
  env["MUSTER_ADDRESS"] = setting.node.address();
  env["MUSTER_LOGS"] = MemberFolder(setting, uid, member.pod_index());
  AddIncarnation(member.incarnation(), env);

  ProcessSpec spec;
  spec.program = setting.agent_program;
  // Who it is the member learns from the environment; a command that makes its own workers it may tell by itself.
  spec.args = {"keep",
               "--parent",
               absl::StrCat(getpid()),
               "--running",
               RunningFile(setting, uid, member.pod_index()),
               "--",
               setting.muster_program,
               "exec"};
  if (order.per_member()) spec.args.push_back("--per-member");
  spec.args.push_back("--");
  spec.args.insert(spec.args.end(), order.command().begin(), order.command().end());
  for (const auto& [name, value] : env) spec.env.push_back(absl::StrCat(name, "=", value));
  spec.working_dir = order.working_dir().empty() ? MemberFolder(setting, uid, member.pod_index()) : order.working_dir();
  return spec;
}

}  // namespace muster::agent
