#pragma once
// The process between the agent and a member: it ends only when everything that the member started has ended, however
// that has detached itself, and it ends all of it when the agent dies. Its exit code is the command's.
//
//   SIGTERM (from the agent; also when the agent dies)  SIGTERM to the command's process group
//   SIGQUIT (from the agent, after the grace)           SIGKILL to every descendant, until none is left
// If the agent has died, SIGQUIT's work follows by itself after kOrphanGrace.
//
// Its last deed is to remove the file that the agent has made for it: whoever finds that file without its keeper knows
// that nobody has seen everything end.

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace muster::agent {

inline constexpr absl::Duration kOrphanGrace = absl::Seconds(5);
// What outlives the command itself has this long to end by itself.
inline constexpr absl::Duration kLeftoverGrace = absl::Seconds(1);

// Runs `command` (found by PATH) and returns its exit code, 127 if it can't be started. Call in a process without
// threads.
int Keep(int parent_pid, const std::string& running_file, const std::vector<std::string>& command);

}  // namespace muster::agent
