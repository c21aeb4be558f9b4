#include "client/cli/exec_flags.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/escape.h"
#include "client/cli/exit_code.h"
#include "client/cli/names.h"
#include "lib/base/proto_time.h"

namespace muster::cli {
namespace {

using Env = std::function<std::string(const std::string&)>;

// The first of the variables that is set, as a number from 0 to `most`; absent where none is.
absl::StatusOr<absl::optional<int64_t>> NumberOf(const Env& env, const std::vector<std::string>& names, int64_t most) {
  for (const std::string& name : names) {
    const std::string text = env(name);
    if (text.empty()) continue;
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < 0 || number > most) {
      return UsageError(absl::StrCat(name, "=", text, ": not a whole number from 0 to ", most));
    }
    return absl::optional<int64_t>(number);
  }
  return absl::optional<int64_t>();
}

absl::StatusOr<v1::JobRef> JobOf(const ExecFlags& flags, const Env& env) {
  if (!flags.job.empty()) return ParseJobName(flags.job, flags.ns);
  const std::string uid = env("MUSTER_JOB_UID"), name = env("MUSTER_JOB");
  if (uid.empty() && name.empty()) {
    return UsageError("muster exec needs a job", "--job NAMESPACE/NAME, or MUSTER_JOB in the environment");
  }
  if (uid.empty()) return ParseJobName(name, flags.ns);
  v1::JobRef ref;
  ref.set_uid(uid);
  return ref;
}

std::string StateFolder(const ExecFlags& flags, const Env& env) {
  if (!flags.state_dir.empty()) return flags.state_dir;
  if (const std::string set = env("MUSTER_STATE_DIR"); !set.empty()) return set;
  if (const std::string state = env("XDG_STATE_HOME"); !state.empty()) return absl::StrCat(state, "/muster");
  const std::string home = env("HOME");
  return home.empty() ? "/tmp/muster" : absl::StrCat(home, "/.local/state/muster");
}

absl::Status TakeIncarnation(const ExecFlags& flags, const Env& env, ExecPlan* plan) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto ordinal = NumberOf(env, {"MUSTER_INCARNATION_ORDINAL"}, kMost);
  if (!ordinal.ok()) return ordinal.status();
  const auto restart = ordinal->has_value() ? NumberOf(env, {"MUSTER_INCARNATION_RESTART_ATTEMPT"}, kMost)
                                            : NumberOf(env, {"JOBSET_RESTART_ATTEMPT", "SLURM_RESTART_COUNT"}, kMost);
  if (!restart.ok()) return restart.status();
  if (ordinal->has_value()) {
    plan->options.incarnation.set_ordinal(**ordinal);
    plan->options.incarnation.set_restart_attempt(restart->value_or(0));
    plan->options.incarnation.set_uid(env("MUSTER_INCARNATION_UID"));
    if (const std::string created = env("MUSTER_INCARNATION_CREATED"); !created.empty()) {
      absl::Time time;
      if (!absl::ParseTime(absl::RFC3339_full, created, &time, nullptr)) {
        return UsageError(absl::StrCat("MUSTER_INCARNATION_CREATED=", created, ": not a time as in RFC 3339"));
      }
      *plan->options.incarnation.mutable_created() = ToProto(time);
    }
    return absl::OkStatus();
  }
  const v1::JobRef& job = plan->options.job;
  worker::IncarnationSource source;
  source.restart_attempt = restart->value_or(0);
  source.pod_uid = env("MUSTER_POD_UID");
  source.folder = StateFolder(flags, env);
  source.member = absl::StrCat(job.uid().empty() ? absl::StrCat(job.namespace_(), ".", job.name()) : job.uid(), "/",
                               plan->options.pod_index);
  plan->source = source;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExecPlan> PlanExec(const ExecFlags& flags, const Env& env, const std::string& hostname) {
  ExecPlan plan;
  const absl::StatusOr<v1::JobRef> job = JobOf(flags, env);
  if (!job.ok()) return job.status();
  plan.options.job = *job;

  absl::optional<int64_t> index = flags.index;
  if (!index) {
    const auto from_env = NumberOf(env, {"MUSTER_POD_INDEX", "JOB_COMPLETION_INDEX", "SLURM_NODEID"}, 999'999);
    if (!from_env.ok()) return from_env.status();
    index = *from_env;
  }
  if (!index) {
    return UsageError("muster exec needs this member's index",
                      "--index N, or MUSTER_POD_INDEX or JOB_COMPLETION_INDEX in the environment");
  }
  plan.options.pod_index = static_cast<int32_t>(*index);

  if (flags.per_member && flags.per_worker) return UsageError("--per-member and --per-worker exclude each other");
  if (flags.per_member || flags.per_worker) plan.options.per_member = flags.per_member;
  if (flags.grace) plan.options.grace = *flags.grace;
  plan.options.server = !flags.server.empty() ? flags.server : env("MUSTER_SERVER");
  plan.options.node = !flags.node.empty() ? flags.node : env("MUSTER_NODE");
  if (plan.options.node.empty()) plan.options.node = hostname;
  plan.options.address = !flags.address.empty() ? flags.address : env("MUSTER_ADDRESS");
  // For people only: what the coordinator would refuse is left out.
  if (const std::string logs = env("MUSTER_LOGS"); logs.size() <= 1024 && Printable(logs) == logs) {
    plan.options.logs = logs;
  }
  plan.options.quiet = flags.quiet;
  plan.options.command = flags.command;
  if (absl::Status taken = TakeIncarnation(flags, env, &plan); !taken.ok()) return taken;
  return plan;
}

}  // namespace muster::cli
