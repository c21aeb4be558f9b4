#include "client/cli/exec_command.h"

#include <unistd.h>

#include "client/cli/exec_flags.h"
#include "client/cli/exit_code.h"
#include "client/rpc/channel.h"
#include "client/worker/exec.h"

namespace muster::cli {
namespace {

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

class ExecCommand final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Text(&flags_.job, "job", "NAME", "NAMESPACE/NAME or uid; else MUSTER_JOB_UID, MUSTER_JOB");
    flags.Text(&flags_.ns, "namespace,n", "NAME", "the job's, unless --job says it; default \"default\"");
    flags.Integer(&flags_.index, "index", "N", 0, 999'999,
                  "this member's; else MUSTER_POD_INDEX, JOB_COMPLETION_INDEX, SLURM_NODEID");
    flags.Text(&flags_.server, "server", "HOST:PORT", "the coordinator; else MUSTER_SERVER, else 127.0.0.1:7070");
    flags.Text(&flags_.node, "node", "NAME", "node that this runs on; else MUSTER_NODE, else the host's name");
    flags.Text(&flags_.address, "address", "ADDRESS", "where other members reach this one; else MUSTER_ADDRESS");
    flags.Switch(&flags_.per_member, "per-member",
                 "start the command once: it makes its own workers, as torchrun does");
    flags.Switch(&flags_.per_worker, "per-worker", "start the command once a worker");
    flags.Time(&flags_.grace, "grace", "TIME", "from SIGTERM to SIGKILL of a command that must stop; default 10s");
    flags.Text(&flags_.state_dir, "state-dir", "FOLDER",
               "where starts are counted; else MUSTER_STATE_DIR, else ~/.local/state/muster");
    flags.Switch(&flags_.quiet, "quiet,q", "say nothing while waiting");
    flags.Rest(&flags_.command, "COMMAND");
  }

  absl::StatusOr<int> Run(Context& context) override {
    absl::StatusOr<ExecPlan> plan = PlanExec(flags_, context.env, HostName());
    if (!plan.ok()) return plan.status();
    if (plan->source) {
      absl::StatusOr<v1::Incarnation> incarnation = worker::NextIncarnation(*plan->source, context.now());
      if (!incarnation.ok()) {
        PrintError(context.err, incarnation.status());
        return worker::kExitTrouble;
      }
      plan->options.incarnation = *incarnation;
    }
    plan->options.server = ServerAddress(plan->options.server);
    return worker::Exec(plan->options);
  }

 private:
  ExecFlags flags_;
};

}  // namespace

void AddExecCommand(std::vector<CommandInfo>& commands) {
  commands.push_back({.verb = "exec",
                      .noun = "",
                      .summary = "be a member of a gang: wait for the rank, then run a command with it",
                      .examples = "muster exec --job team-a/llama -- torchrun train.py\n"
                                  "muster exec --job llama --index 3 --per-worker -- python3 train.py",
                      .make = Make<ExecCommand>,
                      .calls = false,
                      .prints = false});
}

}  // namespace muster::cli
