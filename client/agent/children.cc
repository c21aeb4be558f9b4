#include "client/agent/children.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/time/clock.h"
#include "client/agent/process_tree.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/util/delimited_message_util.h"

namespace muster::agent {
namespace {

// What is killed ends within this time, unless the kernel itself hangs on it.
constexpr absl::Duration kEndOrphans = absl::Seconds(3);

// A descriptor whose reader finds `input`. -1: the kernel refuses.
int Holding(const std::string& input) {
  const int fd = memfd_create("muster-child-order", MFD_CLOEXEC);
  if (fd < 0) return -1;
  size_t done = 0;
  while (done < input.size()) {
    const ssize_t n = write(fd, input.data() + done, input.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<size_t>(n);
  }
  if (done < input.size() || lseek(fd, 0, SEEK_SET) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

void Listen(EventQueue& events, ChildId child, pid_t pid, int results) {
  if (results >= 0) {
    google::protobuf::io::FileInputStream in(results);
    bool end = false;
    while (!end) {
      ChildReported report;
      report.child = child;
      // Ends at the end of the pipe, and at the first thing that is no result.
      if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&report.result, &in, &end)) break;
      events.Put(std::move(report));
    }
    close(results);
  }
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  events.Put(ChildEnded{child});
}

}  // namespace

Children::~Children() {
  for (auto& [id, child] : children_) Signal(id, SIGKILL);
  for (auto& [id, child] : children_) {
    child.listener.join();
    waitpid(child.pid, nullptr, 0);
  }
  children_.clear();
  const absl::Time give_up = absl::Now() + kEndOrphans;
  while (!EndOrphans() && absl::Now() < give_up) absl::SleepFor(absl::Milliseconds(5));
}

absl::StatusOr<ChildId> Children::Start(ProcessSpec spec, const std::string& input, bool results) {
  int pipe_ends[2] = {-1, -1};
  const int in = Holding(input);
  if (in < 0 || (results && pipe2(pipe_ends, O_CLOEXEC) != 0)) {
    if (in >= 0) close(in);
    return absl::InternalError("no descriptors left for a child; raise the limit of open files (ulimit -n)");
  }
  spec.in = in;
  spec.result = pipe_ends[1];
  const absl::StatusOr<pid_t> pid = Spawn(spec);
  close(in);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);
  if (!pid.ok()) {
    if (pipe_ends[0] >= 0) close(pipe_ends[0]);
    return pid.status();
  }
  const ChildId id = ++last_;
  children_[id] = {*pid, std::thread(Listen, std::ref(events_), id, *pid, pipe_ends[0])};
  return id;
}

void Children::Signal(ChildId child, int signal) const {
  const auto at = children_.find(child);
  if (at != children_.end()) kill(-at->second.pid, signal);
}

bool Children::EndOrphans() const {
  bool none = true;
  for (const pid_t pid : OwnChildren()) {
    const bool known =
        std::any_of(children_.begin(), children_.end(), [pid](const auto& c) { return c.second.pid == pid; });
    if (known) continue;
    none = false;
    for (const pid_t below : Descendants(pid)) kill(below, SIGKILL);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, WNOHANG);
  }
  return none;
}

pid_t Children::Pid(ChildId child) const {
  const auto at = children_.find(child);
  return at == children_.end() ? -1 : at->second.pid;
}

int Children::Reap(ChildId child) {
  const auto at = children_.find(child);
  if (at == children_.end()) return 0;
  at->second.listener.join();
  int status = 0;
  waitpid(at->second.pid, &status, 0);
  children_.erase(at);
  return status;
}

}  // namespace muster::agent
