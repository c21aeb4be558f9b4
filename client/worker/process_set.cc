#include "client/worker/process_set.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/worker/exec_child.h"

namespace muster::worker {

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  for (absl::string_view folder : absl::StrSplit(path ? path : "/usr/bin:/bin", ':')) {
    const std::string candidate = absl::StrCat(folder.empty() ? "." : folder, "/", name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

ProcessSet::~ProcessSet() {
  Signal(SIGKILL);
  for (const auto& [pid, index] : running_) waitpid(pid, nullptr, 0);
}

absl::Status ProcessSet::Start(const std::vector<std::string>& command, const Environment& env) {
  const std::string program = FindProgram(command[0]);
  if (program.empty()) {
    const char* path = std::getenv("PATH");
    return absl::NotFoundError(absl::StrCat("no program ", command[0], " (PATH is ", path ? path : "not set", ")"));
  }
  // Through this very binary, which ties its life to ours and becomes the program (exec_child.h).
  std::vector<std::string> args = {"/proc/self/exe", kExecChild, absl::StrCat(getpid()), program};
  args.insert(args.end(), command.begin() + 1, command.end());
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);

  Environment all;
  for (char** entry = environ; *entry; ++entry) {
    const std::pair<std::string, std::string> kv = absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    all[kv.first] = kv.second;
  }
  for (const auto& [key, value] : env) all[key] = value;
  std::vector<std::string> lines;
  for (const auto& [key, value] : all) lines.push_back(absl::StrCat(key, "=", value));
  std::vector<char*> envp;
  for (std::string& line : lines) envp.push_back(line.data());
  envp.push_back(nullptr);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const auto destroy = absl::MakeCleanup([&] { posix_spawnattr_destroy(&attributes); });
  sigset_t none, all_signals;
  sigemptyset(&none);
  sigfillset(&all_signals);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all_signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  if (const int error = posix_spawn(&pid, "/proc/self/exe", nullptr, &attributes, argv.data(), envp.data());
      error != 0) {
    return absl::InternalError(absl::StrCat("can't start ", program, ": ", std::strerror(error)));
  }
  running_[pid] = pids_.size();
  pids_.push_back(pid);
  return absl::OkStatus();
}

void ProcessSet::Signal(int signal) const {
  for (const auto& [pid, index] : running_) kill(-pid, signal);
}

std::vector<ProcessSet::Exit> ProcessSet::Reap() {
  std::vector<Exit> exits;
  for (auto it = running_.begin(); it != running_.end();) {
    int status = 0;
    const pid_t got = waitpid(it->first, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) {
      ++it;
      continue;
    }
    const int code = got < 0 ? 255 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    exits.push_back({it->second, code});
    // What it left behind in its group goes with it.
    kill(-it->first, SIGKILL);
    it = running_.erase(it);
  }
  return exits;
}

void ProcessSet::Clear() { pids_.clear(); }

}  // namespace muster::worker
