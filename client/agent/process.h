#pragma once
// Starting, naming and ending processes.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace muster::agent {

struct ProcessSpec {
  // Path of the executable; args[0] is added.
  std::string program;
  std::vector<std::string> args;
  // The whole environment, NAME=value.
  std::vector<std::string> env;
  // Empty: the agent's.
  std::string working_dir;
  // Become descriptors 0, 1, 2 and 3. -1: /dev/null; for `result` nothing.
  int in = -1, out = -1, err = -1, result = -1;
};

// Starts it in a process group of its own, with default signals. A child that calls DieWithParent dies with the thread
// that called Spawn: call it from a thread that lives as long as the agent.
// NOT_FOUND: no such program or folder; PERMISSION_DENIED; RESOURCE_EXHAUSTED: no more processes.
absl::StatusOr<pid_t> Spawn(const ProcessSpec& spec);

// In a child, first thing: `signal` arrives when the parent's thread ends. Exits at once if `parent` is gone already.
void DieWithParent(pid_t parent, int signal);

// Field 22 of /proc/<pid>/stat; 0: no such process, or only its zombie is left.
uint64_t StartTicks(pid_t pid);

// As a shell has it: 0..255, 128 + signal for a killed one.
int ExitCode(int wait_status);

// Path of the running executable.
std::string OwnProgram();

}  // namespace muster::agent
