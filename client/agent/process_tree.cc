#include "client/agent/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

namespace muster::agent {
namespace {

void ForEachProcess(const std::function<void(pid_t, const std::string& folder)>& look) {
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid > 0) look(pid, std::string("/proc/") + entry->d_name);
  }
  closedir(proc);
}

constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD

}  // namespace

std::map<pid_t, ProcessStat> AllProcesses() {
  std::map<pid_t, ProcessStat> all;
  ForEachProcess([&all](pid_t pid, const std::string& folder) {
    std::ifstream in(folder + "/stat");
    std::string line, state, skipped;
    // The second field, in parentheses, may hold anything.
    if (!std::getline(in, line) || line.rfind(')') == std::string::npos) return;
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    ProcessStat seen;
    uint64_t flags = 0;
    // Fields 3 and 4, 9, 22.
    fields >> state >> seen.parent;
    for (int i = 5; i <= 8; ++i) fields >> skipped;
    fields >> flags;
    for (int i = 10; i <= 21; ++i) fields >> skipped;
    if (!(fields >> seen.start)) return;
    seen.ended = state == "Z" || state == "X";
    seen.of_kernel = (flags & kKernelThread) != 0;
    all[pid] = seen;
  });
  return all;
}

void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::set<pid_t> Descendants(pid_t root) {
  const std::map<pid_t, ProcessStat> all = AllProcesses();
  std::set<pid_t> found = {root};
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [pid, seen] : all) {
      if (!seen.ended && found.count(seen.parent) > 0) grew |= found.insert(pid).second;
    }
  }
  found.erase(root);
  return found;
}

std::vector<pid_t> OwnChildren() {
  std::vector<pid_t> children;
  for (const auto& [pid, seen] : AllProcesses()) {
    if (seen.parent == getpid()) children.push_back(pid);
  }
  return children;
}

std::vector<pid_t> StartedWith(const std::string& variable) {
  std::vector<pid_t> found;
  const std::string wanted = '\0' + variable + '\0';
  ForEachProcess([&](pid_t pid, const std::string& folder) {
    if (pid == getpid()) return;
    std::ifstream in(folder + "/environ", std::ios::binary);
    std::string environment(1, '\0');
    environment.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (environment.find(wanted) != std::string::npos) found.push_back(pid);
  });
  return found;
}

bool EndStartedWith(const std::string& variable) {
  const std::vector<pid_t> left = StartedWith(variable);
  for (const pid_t pid : left) kill(pid, SIGKILL);
  return left.empty();
}

}  // namespace muster::agent
