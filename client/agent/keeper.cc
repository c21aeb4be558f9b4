#include "client/agent/keeper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "client/agent/process.h"
#include "client/agent/process_tree.h"

namespace muster::agent {
namespace {

class Keeper {
 public:
  explicit Keeper(int parent) : parent_(parent) {
    sigemptyset(&signals_);
    for (int s : {SIGCHLD, SIGTERM, SIGQUIT, SIGINT, SIGHUP}) sigaddset(&signals_, s);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }

  int Run(const std::vector<std::string>& command) {
    if (!Start(command)) return 127;
    while (true) {
      if (ReapAll()) return code_;
      const timespec wait = {0, 100 * 1000 * 1000};
      switch (sigtimedwait(&signals_, nullptr, &wait)) {
        case SIGTERM:
        case SIGINT:
        case SIGHUP:
          kill(-child_, SIGTERM);
          if (getppid() != parent_) KillAfter(kOrphanGrace);
          break;
        case SIGQUIT:
          KillAfter(absl::ZeroDuration());
          break;
        default:
          break;
      }
      if (Now() >= kill_at_) KillAll();
    }
  }

 private:
  static absl::Time Now() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return absl::TimeFromTimespec(now);
  }

  void KillAfter(absl::Duration grace) { kill_at_ = std::min(kill_at_, Now() + grace); }

  static void KillAll() {
    for (pid_t pid : Descendants(getpid())) kill(pid, SIGKILL);
  }

  bool Start(const std::vector<std::string>& command) {
    child_ = fork();
    if (child_ < 0) return false;
    if (child_ == 0) {
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      sigprocmask(SIG_SETMASK, &before_, nullptr);
      std::vector<char*> argv;
      for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));
      argv.push_back(nullptr);
      execvp(argv[0], argv.data());
      std::fprintf(stderr, "muster-agent: cannot start %s: %s\n", argv[0], std::strerror(errno));
      _exit(127);
    }
    // Also here: a signal to the group must not come before the group.
    setpgid(child_, child_);
    return true;
  }

  // True when no descendant is left.
  bool ReapAll() {
    while (true) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid < 0) return errno == ECHILD;
      if (pid == 0) return false;
      if (pid == child_) {
        code_ = ExitCode(status);
        KillAfter(kLeftoverGrace);
      }
    }
  }

  const int parent_;
  sigset_t signals_, before_;
  pid_t child_ = -1;
  int code_ = 255;
  absl::Time kill_at_ = absl::InfiniteFuture();
};

}  // namespace

int Keep(int parent_pid, const std::string& running_file, const std::vector<std::string>& command) {
  Keeper keeper(parent_pid);
  AdoptOrphans();
  DieWithParent(parent_pid, SIGTERM);
  const int code = keeper.Run(command);
  unlink(running_file.c_str());
  return code;
}

}  // namespace muster::agent
