#pragma once
// The processes of one member: started together, each leading a process group of its own, signalled and reaped
// together. All calls from one thread, the one that lives as long as the processes: their death is tied to it (see
// exec_child.h).

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/worker/environment.h"

namespace muster::worker {

class ProcessSet {
 public:
  // How one process ended.
  struct Exit {
    size_t index = 0;
    // As a shell has it: 128 + signal for a killed process.
    int code = 0;
  };

  ProcessSet() = default;
  ProcessSet(const ProcessSet&) = delete;
  ProcessSet& operator=(const ProcessSet&) = delete;
  // Kills what still runs.
  ~ProcessSet();

  // Starts `command` with this process's environment plus `env`. NOT_FOUND: no such program; names it and PATH. Appends
  // to the set.
  absl::Status Start(const std::vector<std::string>& command, const Environment& env);

  size_t size() const { return pids_.size(); }
  size_t running() const { return running_.size(); }
  // To the group of each process that still runs.
  void Signal(int signal) const;
  // Those that have ended since the last call; never waits.
  std::vector<Exit> Reap();
  // Forgets ended processes, so that the next Start is index 0 again. Precondition: running() == 0.
  void Clear();

 private:
  std::vector<pid_t> pids_;          // by index
  std::map<pid_t, size_t> running_;  // pid -> index
};

// The program that `command[0]` means, searched in PATH; empty: none.
std::string FindProgram(const std::string& name);

}  // namespace muster::worker
