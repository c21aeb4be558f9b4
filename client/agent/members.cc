#include "client/agent/members.h"

#include <fcntl.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/agent/member_command.h"
#include "client/agent/process.h"
#include "client/agent/process_tree.h"
#include "lib/base/errors.h"

namespace muster::agent {
namespace {

// How often an earlier agent's keeper is looked for, and what a lost keeper has left: what dies of our signal, and what
// we may not touch.
constexpr absl::Duration kSurvivorPoll = absl::Milliseconds(200);
constexpr absl::Duration kLeftoverPoll = absl::Milliseconds(20);
constexpr absl::Duration kSuspectPoll = absl::Seconds(1);

absl::Status MakeFolders(const std::string& folder) {
  for (size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return absl::InternalError(absl::StrCat("cannot make ", part, ": ", std::strerror(errno)));
    }
    if (at == std::string::npos) return absl::OkStatus();
  }
}

v1::MemberEnded EndOf(const MemberRecord& record, const std::string& logs) {
  v1::MemberEnded ended;
  ended.set_logs(logs);
  ended.set_pod_index(record.pod_index());
  *ended.mutable_incarnation() = record.incarnation();
  ended.set_exit_code(record.exit_code());
  return ended;
}

}  // namespace

bool SameIncarnation(const v1::Incarnation& a, const v1::Incarnation& b) {
  const auto key = [](const v1::Incarnation& i) {
    return std::make_tuple(i.restart_attempt(), i.created().seconds(), i.created().nanos(), i.uid(), i.ordinal());
  };
  return key(a) == key(b);
}

Members::Members(const AgentSetting& setting, Children& children, const std::string& job_uid,
                 std::vector<MemberRecord> records)
    : setting_(setting), children_(children), job_uid_(job_uid) {
  for (MemberRecord& record : records) members_[record.pod_index()].record = std::move(record);
}

absl::Status Members::Start(const v1::Task& task, absl::Time now) {
  for (const v1::StartMembers::Member& wanted : task.start_members().members()) {
    const auto at = members_.find(wanted.pod_index());
    if (at != members_.end() && SameIncarnation(at->second.record.incarnation(), wanted.incarnation())) continue;
    if (at == members_.end() || at->second.record.ended()) {
      if (absl::Status s = Launch(task, wanted); !s.ok()) return s;
      continue;
    }
    Member& member = at->second;
    member.has_next = true;
    member.next_task = task;
    member.next = wanted;
    if (member.kill_at == absl::InfiniteFuture()) {
      Signal(member, SIGTERM);
      member.kill_at = now + kDefaultGrace;
    }
  }
  return absl::OkStatus();
}

absl::Status Members::Launch(const v1::Task& task, const v1::StartMembers::Member& wanted) {
  absl::StatusOr<ProcessSpec> spec = MemberCommand(setting_, task, wanted);
  if (!spec.ok()) return spec.status();
  const std::string folder = MemberFolder(setting_, task.mark().job_uid(), wanted.pod_index());
  if (absl::Status s = MakeFolders(folder); !s.ok()) return s;
  // Appended: a later incarnation's lines follow those of the one before.
  const std::string running = RunningFile(setting_, job_uid_, wanted.pod_index());
  if (absl::Status s = MakeFolders(running.substr(0, running.rfind('/'))); !s.ok()) return s;
  const int mark = open(running.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (mark < 0) return absl::InternalError(absl::StrCat("cannot make ", running, ": ", std::strerror(errno)));
  close(mark);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
  spec->out = open((folder + "/out").c_str(), kFlags, 0600);
  spec->err = open((folder + "/err").c_str(), kFlags, 0600);
  absl::StatusOr<ChildId> child = absl::InternalError(absl::StrCat("cannot write into ", folder));
  if (spec->out >= 0 && spec->err >= 0) child = children_.Start(*spec, "", /*results=*/false);
  if (spec->out >= 0) close(spec->out);
  if (spec->err >= 0) close(spec->err);
  if (!child.ok()) {
    unlink(running.c_str());
    return child.status();
  }
  Member member;
  member.record.set_pod_index(wanted.pod_index());
  *member.record.mutable_incarnation() = wanted.incarnation();
  member.record.set_pid(children_.Pid(*child));
  member.record.set_start_ticks(StartTicks(children_.Pid(*child)));
  *member.record.mutable_origin() = setting_.origin;
  member.child = *child;
  spdlog::info("member {} of job {} started, pid {}, output in {}", wanted.pod_index(), task.job(), member.record.pid(),
               folder);
  members_[wanted.pod_index()] = std::move(member);
  return absl::OkStatus();
}

void Members::Stop(absl::Duration grace, absl::Time now) {
  for (auto& [index, member] : members_) {
    member.has_next = false;
    if (member.record.ended()) continue;
    Signal(member, SIGTERM);
    member.kill_at = std::min(member.kill_at, now + grace);
  }
}

void Members::Signal(const Member& member, int signal) const {
  if (member.child != 0) {
    children_.Signal(member.child, signal);
  } else if (KeeperLives(member)) {
    kill(member.record.pid(), signal);
  }
}

bool Members::Owns(ChildId child) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const auto& m) { return m.second.child == child && !m.second.record.ended(); });
}

void Members::Ended(ChildId child, int wait_status, absl::Time now) {
  for (auto& [index, member] : members_) {
    if (member.child != child || member.record.ended()) continue;
    if (WIFSIGNALED(wait_status)) {
      spdlog::warn("the keeper of member {} was killed by signal {}; ending what it left", index,
                   WTERMSIG(wait_status));
      member.keeper_lost = ExitCode(wait_status);
    } else {
      MarkEnded(member, ExitCode(wait_status));
    }
  }
  Tick(now);
}

bool Members::KeeperLives(const Member& member) const {
  return member.record.pid() > 0 && StartTicks(member.record.pid()) == member.record.start_ticks();
}

bool Members::EndLeftovers(Member& member, absl::Time now) const {
  const int32_t index = member.record.pod_index();
  member.look_at = now + kLeftoverPoll;
  const bool none_marked = EndStartedWith(MemberMark(setting_, job_uid_, index));
  // Of a keeper that was ours all is our child now.
  if (member.child != 0) return children_.EndOrphans() && none_marked;
  if (!none_marked) return false;
  if (access(RunningFile(setting_, job_uid_, index).c_str(), F_OK) != 0) return true;
  // Killed with its agent: what it left is nobody's now, and need not have kept the mark.
  const std::vector<pid_t> left = setting_.may_be_left_of(member.record.origin());
  if (left.empty()) return true;
  member.look_at = now + kSuspectPoll;
  if (!member.told) {
    std::vector<std::string> pids;
    for (const pid_t pid : left) pids.push_back(absl::StrCat(pid));
    spdlog::error(
        "agent and keeper of member {} of job {} were killed, and what they left can't be told from what others run: "
        "pid {}. The member counts as running until these have ended; end them, or say that they are not of the job: "
        "muster readmit node {}",
        index, job_uid_, FewNames(pids), setting_.node.name());
    member.told = true;
  }
  return false;
}

void Members::MarkEnded(Member& member, int exit_code) {
  unlink(RunningFile(setting_, job_uid_, member.record.pod_index()).c_str());
  member.record.set_ended(true);
  member.record.set_exit_code(exit_code);
  member.kill_at = absl::InfiniteFuture();
  ends_.push_back(EndOf(member.record, MemberFolder(setting_, job_uid_, member.record.pod_index())));
  spdlog::info("member {} ended with code {}", member.record.pod_index(), exit_code);
}

void Members::Tick(absl::Time now) {
  for (auto& [index, member] : members_) {
    if (member.record.ended()) continue;
    // A keeper that an earlier agent started dies with that agent and takes all with it, unless it was killed too; how
    // its command ended nobody saw, so it counts as killed.
    if (member.child == 0 && !member.keeper_lost && !KeeperLives(member)) member.keeper_lost = 128 + SIGKILL;
    if (member.keeper_lost && now >= member.look_at && EndLeftovers(member, now)) {
      MarkEnded(member, *member.keeper_lost);
    }
    if (!member.record.ended() && now >= member.kill_at) {
      Signal(member, SIGQUIT);
      member.kill_at = now + absl::Seconds(1);
    }
  }
  for (auto& [index, member] : members_) {
    if (!member.record.ended() || !member.has_next) continue;
    const v1::Task task = std::move(member.next_task);
    const v1::StartMembers::Member next = std::move(member.next);
    member.has_next = false;
    if (absl::Status s = Launch(task, next); !s.ok()) {
      // The order was taken when it could still be started; its end says that it never ran.
      *member.record.mutable_incarnation() = next.incarnation();
      MarkEnded(member, 127);
      spdlog::error("member {} of job {} not started: {}", index, task.job(), std::string(s.message()));
    }
  }
}

absl::Time Members::NextDeadline(absl::Time now) const {
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [index, member] : members_) {
    if (member.record.ended()) continue;
    next = std::min(next, member.kill_at);
    if (member.keeper_lost) {
      next = std::min(next, member.look_at);
    } else if (member.child == 0) {
      next = std::min(next, now + kSurvivorPoll);
    }
  }
  return next;
}

std::vector<v1::MemberEnded> Members::TakeEnds() {
  std::sort(ends_.begin(), ends_.end(), [](const auto& a, const auto& b) { return a.pod_index() < b.pod_index(); });
  return std::exchange(ends_, {});
}

std::vector<v1::MemberEnded> Members::AllEnds() const {
  std::vector<v1::MemberEnded> ends;
  for (const auto& [index, member] : members_) {
    if (member.record.ended())
      ends.push_back(EndOf(member.record, MemberFolder(setting_, job_uid_, member.record.pod_index())));
  }
  return ends;
}

std::vector<MemberRecord> Members::Records() const {
  std::vector<MemberRecord> records;
  for (const auto& [index, member] : members_) records.push_back(member.record);
  return records;
}

bool Members::Running() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& m) { return !m.second.record.ended() || m.second.has_next; });
}

}  // namespace muster::agent
