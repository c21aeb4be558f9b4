#pragma once
// Who descends from whom, as /proc shows it: how what was left behind is found, however it has detached itself.

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::agent {

// From now on what loses its parent below this process becomes its child, instead of init's. Inherited by nobody.
void AdoptOrphans();

struct ProcessStat {
  pid_t parent = 0;
  bool ended = false;  // a zombie
  bool of_kernel = false;
  // When it was started: field 22 of /proc/<pid>/stat.
  uint64_t start = 0;
};
// As they are now; not one moment's picture.
std::map<pid_t, ProcessStat> AllProcesses();

// Processes below `root` that have not ended. Complete only where nothing below it can get away: under a process that
// adopts orphans.
std::set<pid_t> Descendants(pid_t root);

// Children of this process, also those that have ended and are not waited for.
std::vector<pid_t> OwnChildren();

// Processes that were started with NAME=VALUE in their environment and may be read by this user; not this process.
std::vector<pid_t> StartedWith(const std::string& variable);

// Kills them. True: there are none; else ask again, as a killed process takes a moment to end.
bool EndStartedWith(const std::string& variable);

}  // namespace muster::agent
