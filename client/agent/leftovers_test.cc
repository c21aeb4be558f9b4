#include "client/agent/leftovers.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/agent/process.h"
#include "client/agent/process_tree.h"

namespace muster::agent {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

// A shell that adopts nothing runs `script`, says a pid in a line, and is killed: what it has left is an orphan.
class Orphan {
 public:
  explicit Orphan(const std::string& script) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ProcessSpec spec;
    spec.program = "/bin/sh";
    spec.args = {"-c", script};
    spec.env = {"PATH=/usr/bin:/bin"};
    spec.out = ends[1];
    const pid_t shell = Spawn(spec).value();
    close(ends[1]);
    std::string line;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
    close(ends[0]);
    pid_ = std::atoi(line.c_str());
    kill(shell, SIGKILL);
    waitpid(shell, nullptr, 0);
  }
  ~Orphan() { End(); }
  void End() {
    if (pid_ <= 0) return;
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    kill(pid_, SIGKILL);
    pollfd ended = {fd, POLLIN, 0};
    poll(&ended, 1, 20000);
    close(fd);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// Nothing in the environment of this one tells where it is from, and it is in a session of its own.
constexpr char kCleared[] = "env -i setsid sh -c 'echo $$; exec sleep 1000' & wait";

TEST(Leftovers, OrphanWithAClearedEnvironment_IsOneUntilItEnds) {
  const Origin origin = OwnOrigin();
  Orphan orphan(kCleared);
  ASSERT_GT(orphan.pid(), 0);
  EXPECT_THAT(MayBeLeftOf(origin), Contains(orphan.pid()));
  const pid_t pid = orphan.pid();
  orphan.End();
  EXPECT_THAT(MayBeLeftOf(origin), Not(Contains(pid)));
}

TEST(Leftovers, WhatLivedBefore_AndWhatIsStillOurs_AreNone) {
  Orphan before("env -i setsid sh -c 'echo $$; exec sleep 1000' & wait");
  Origin origin = OwnOrigin();
  // As of a process that was started after that one.
  origin.set_since(StartTicks(before.pid()) + 1);
  ProcessSpec child;
  child.program = "/bin/sleep";
  child.args = {"1000"};
  const pid_t ours = Spawn(child).value();
  EXPECT_THAT(MayBeLeftOf(origin), Not(Contains(before.pid())));
  EXPECT_THAT(MayBeLeftOf(origin), Not(Contains(ours)));
  kill(ours, SIGKILL);
  waitpid(ours, nullptr, 0);
}

TEST(Leftovers, OtherControlGroup_IsNone) {
  Origin origin = OwnOrigin();
  origin.set_control_group("/system.slice/muster-agent.service");
  Orphan orphan(kCleared);
  EXPECT_THAT(MayBeLeftOf(origin), Not(Contains(orphan.pid())));
}

TEST(Leftovers, AfterAnotherBoot_ThereAreNone) {
  Origin origin = OwnOrigin();
  Orphan orphan(kCleared);
  origin.set_boot("before");
  EXPECT_THAT(MayBeLeftOf(origin), IsEmpty());
}

TEST(Leftovers, ReaperThatHasDied_AnyParentWillDo) {
  Origin origin = OwnOrigin();
  origin.set_reaper_ticks(origin.reaper_ticks() + 1);
  Orphan orphan(kCleared);
  EXPECT_THAT(MayBeLeftOf(origin), Contains(orphan.pid()));
}

TEST(Leftovers, OwnOrigin_SaysWhoWillAdopt) {
  const Origin origin = OwnOrigin();
  EXPECT_EQ(origin.since(), StartTicks(getpid()));
  Orphan orphan(kCleared);
  EXPECT_EQ(AllProcesses().at(orphan.pid()).parent, origin.reaper());
}

}  // namespace
}  // namespace muster::agent
