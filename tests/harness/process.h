#pragma once
// A real program under test: started with a log file, signalled, awaited with a deadline, and never left behind.

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace muster::harness {

class Process {
 public:
  // Starts `command` with this environment plus `env`; output goes to `log` (appended). Fails the program on error:
  // nothing to test then.
  static Process Start(const std::vector<std::string>& command, const std::string& log,
                       const std::map<std::string, std::string>& env = {});

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  // SIGKILL, if it still runs.
  ~Process();

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // As a shell has it (128 + signal); nullopt: still running at the deadline.
  std::optional<int> Wait(absl::Duration deadline);
  bool Running();

 private:
  explicit Process(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<int> exit_;
};

// The file of a Bazel target, from the runfiles of the running test or benchmark: "server/main/musterd".
std::string Binary(const std::string& path);

// Until `condition` holds, checked every few milliseconds; false at the deadline. For what only another process can
// bring about.
template <typename Condition>
bool Eventually(Condition condition, absl::Duration deadline = absl::Seconds(30));

bool EventuallyImpl(bool (*condition)(void*), void* argument, absl::Duration deadline);

template <typename Condition>
bool Eventually(Condition condition, absl::Duration deadline) {
  return EventuallyImpl([](void* c) -> bool { return (*static_cast<Condition*>(c))(); }, &condition, deadline);
}

// Processes of this machine whose environment has NAME=VALUE: how a test sees that nothing was left behind.
std::vector<pid_t> ProcessesWith(const std::string& name, const std::string& value);

// A new empty folder below the test's own; removed with the test.
std::string NewFolder(const std::string& name);

std::string ReadFile(const std::string& path);

}  // namespace muster::harness
