#include "client/agent/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace muster::agent {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

absl::Status Failed(const ProcessSpec& spec, int error) {
  const std::string where = spec.working_dir.empty() ? "" : absl::StrCat(" in ", spec.working_dir);
  const std::string message = absl::StrCat("cannot start ", spec.program, where, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    case EAGAIN:
    case ENOMEM:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InternalError(message);
  }
}

// Held in one place, so that an early return frees all.
struct Preparation {
  Preparation() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~Preparation() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

}  // namespace

absl::StatusOr<pid_t> Spawn(const ProcessSpec& spec) {
  Preparation p;
  const std::array<int, 4> wanted = {spec.in, spec.out, spec.err, spec.result};
  for (int target = 0; target < 4; ++target) {
    const int source = wanted[static_cast<size_t>(target)];
    if (source >= 0) {
      posix_spawn_file_actions_adddup2(&p.files, source, target);
    } else if (target < 3) {
      posix_spawn_file_actions_addopen(&p.files, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0);
    }
  }
  if (!spec.working_dir.empty()) posix_spawn_file_actions_addchdir_np(&p.files, spec.working_dir.c_str());
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&p.attributes, &none);
  posix_spawnattr_setsigdefault(&p.attributes, &all);
  posix_spawnattr_setpgroup(&p.attributes, 0);
  posix_spawnattr_setflags(&p.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> args = {spec.program};
  args.insert(args.end(), spec.args.begin(), spec.args.end());
  const std::vector<char*> argv = Pointers(args), envp = Pointers(spec.env);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, spec.program.c_str(), &p.files, &p.attributes, argv.data(), envp.data());
  if (error != 0) return Failed(spec, error);
  return pid;
}

void DieWithParent(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  // It may have died before the call, and then nothing arrives.
  if (getppid() != parent) _exit(1);
}

uint64_t StartTicks(pid_t pid) {
  std::ifstream in(absl::StrCat("/proc/", pid, "/stat"));
  std::string line;
  if (!std::getline(in, line)) return 0;
  // The second field, in parentheses, may hold anything.
  const size_t end = line.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(line.substr(end + 1));
  std::string field;
  uint64_t ticks = 0;
  for (int i = 3; i <= 22 && fields >> field; ++i) {
    if (i == 3 && (field == "Z" || field == "X")) return 0;
    if (i == 22) ticks = std::strtoull(field.c_str(), nullptr, 10);
  }
  return ticks;
}

int ExitCode(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : 255;
}

std::string OwnProgram() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : std::string("muster-agent");
}

}  // namespace muster::agent
