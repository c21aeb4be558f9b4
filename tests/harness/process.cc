#include "tests/harness/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace muster::harness {
namespace {

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "test harness: %s\n", why.c_str());
  std::abort();
}

// Without sleeping blindly: the shortest wait of the system between two looks at another process.
void Pause() { poll(nullptr, 0, 5); }

}  // namespace

Process Process::Start(const std::vector<std::string>& command, const std::string& log,
                       const std::map<std::string, std::string>& env) {
  std::vector<char*> argv;
  for (const std::string& arg : command) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  std::map<std::string, std::string> all;
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

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, command[0].c_str(), &files, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) Die(absl::StrCat("can't start ", command[0], ": ", std::strerror(error)));
  return Process(pid);
}

Process::Process(Process&& other) noexcept : pid_(other.pid_), exit_(other.exit_) { other.pid_ = -1; }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_, other.exit_);
  return *this;
}

Process::~Process() {
  if (pid_ < 0 || !Running()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::Signal(int signal) const {
  if (pid_ > 0 && !exit_) kill(pid_, signal);
}

bool Process::Running() {
  if (exit_) return false;
  int status = 0;
  const pid_t got = waitpid(pid_, &status, WNOHANG);
  if (got == 0) return true;
  exit_ = got < 0 ? 255 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

std::optional<int> Process::Wait(absl::Duration deadline) {
  Eventually([this] { return !Running(); }, deadline);
  return exit_;
}

std::string Binary(const std::string& path) {
  const char* runfiles = std::getenv("TEST_SRCDIR");
  const std::string in_test = absl::StrCat(runfiles ? runfiles : "", "/muster/", path);
  if (runfiles && std::filesystem::exists(in_test)) return in_test;
  // `bazel run` starts in the runfiles of the target.
  if (std::filesystem::exists(path)) return std::filesystem::absolute(path);
  Die(absl::StrCat("no ", path, " among this test's data"));
}

bool EventuallyImpl(bool (*condition)(void*), void* argument, absl::Duration deadline) {
  const absl::Time until = absl::Now() + deadline;
  while (!condition(argument)) {
    if (absl::Now() > until) return condition(argument);
    Pause();
  }
  return true;
}

std::vector<pid_t> ProcessesWith(const std::string& name, const std::string& value) {
  std::vector<pid_t> found;
  const std::string wanted = absl::StrCat(name, "=", value);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    int pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    const std::string environment = ReadFile(entry.path().string() + "/environ");
    for (absl::string_view one : absl::StrSplit(environment, '\0')) {
      if (one == wanted) found.push_back(pid);
    }
  }
  return found;
}

std::string NewFolder(const std::string& name) {
  static std::atomic<int> count{0};
  const char* base = std::getenv("TEST_TMPDIR");
  const std::string path = absl::StrCat(base ? base : std::filesystem::temp_directory_path().string(), "/", name, "-",
                                        getpid(), "-", ++count);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace muster::harness
