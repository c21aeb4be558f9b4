#include "client/agent/leftovers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/agent/process.h"
#include "client/agent/process_tree.h"

namespace muster::agent {
namespace {

constexpr pid_t kInit = 1;

// Another boot, and another init (a container that was started anew), mean that nothing from before is alive.
std::string Boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return absl::StrCat(boot, " ", StartTicks(kInit));
}

// Of the unified hierarchy, or of systemd's; empty: there are none.
std::string ControlGroup(pid_t pid) {
  std::ifstream in(absl::StrCat("/proc/", pid, "/cgroup"));
  std::string line, group;
  while (std::getline(in, line)) {
    const size_t path = line.find(":/");
    const bool systemd = absl::StrContains(line, ":name=systemd:");
    if (path == std::string::npos || !(absl::StartsWith(line, "0::") || systemd)) continue;
    if (group.size() <= 1) group = line.substr(path + 1);
  }
  return group;
}

bool IsWithin(const std::string& group, const std::string& of) {
  return of.size() <= 1 || group.empty() || group == of || absl::StartsWith(group, of + "/");
}

// In a child of the process whose orphans they are: the pid that this child's own child sees as its parent after it.
[[noreturn]] void ShowReaper(int out) {
  const pid_t between = getpid();
  const pid_t orphan = fork();
  if (orphan == 0) {
    while (getppid() == between) usleep(1000);
    const pid_t reaper = getppid();
    const ssize_t written = write(out, &reaper, sizeof(reaper));
    _exit(written == sizeof(reaper) ? 0 : 1);
  }
  _exit(orphan < 0 ? 1 : 0);
}

pid_t Reaper() {
  int ends[2];
  if (pipe(ends) != 0) return kInit;
  const pid_t child = fork();
  if (child == 0) ShowReaper(ends[1]);
  close(ends[1]);
  pid_t reaper = kInit;
  while (read(ends[0], &reaper, sizeof(reaper)) < 0 && errno == EINTR) {
  }
  close(ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return reaper;
}

// This process and those that it descends from.
std::set<pid_t> OwnLine(const std::map<pid_t, ProcessStat>& all) {
  std::set<pid_t> line;
  for (pid_t pid = getpid(); pid > 0 && line.insert(pid).second;) {
    const auto at = all.find(pid);
    pid = at == all.end() ? 0 : at->second.parent;
  }
  return line;
}

}  // namespace

Origin OwnOrigin() {
  Origin origin;
  origin.set_boot(Boot());
  origin.set_since(StartTicks(getpid()));
  origin.set_reaper(Reaper());
  origin.set_reaper_ticks(StartTicks(origin.reaper()));
  origin.set_control_group(ControlGroup(getpid()));
  return origin;
}

std::vector<pid_t> MayBeLeftOf(const Origin& origin) {
  std::vector<pid_t> left;
  if (origin.boot() != Boot()) return left;
  const std::map<pid_t, ProcessStat> all = AllProcesses();
  const std::set<pid_t> line = OwnLine(all);
  // Whose reaper has died went to one that nobody has noted: then any parent will do.
  const bool reaper_lives = StartTicks(origin.reaper()) == origin.reaper_ticks();
  for (const auto& [pid, process] : all) {
    if (process.ended || process.of_kernel || process.start < origin.since() || line.count(pid) > 0) continue;
    if (!IsWithin(ControlGroup(pid), origin.control_group())) continue;
    // The first on the way up that is older than the origin, or of our own line: it started what is below.
    pid_t up = process.parent;
    for (auto at = all.find(up); at != all.end() && at->second.start >= origin.since() && line.count(up) == 0;) {
      up = at->second.parent;
      at = all.find(up);
    }
    if (up == getpid()) continue;
    // One that is missing has ended meanwhile; 0 is the parent of what was put into this container from outside.
    if (up > 0 && (up == origin.reaper() || !reaper_lives || all.count(up) == 0)) left.push_back(pid);
  }
  return left;
}

}  // namespace muster::agent
