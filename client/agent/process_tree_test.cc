#include "client/agent/process_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "client/agent/process.h"

namespace muster::agent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

// `script` in a shell whose standard output is the pipe that is read here until it closes or a line has come.
class Shell {
 public:
  explicit Shell(const std::string& script, const std::string& variable = "A=1") {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ProcessSpec spec;
    spec.program = "/bin/sh";
    spec.args = {"-c", script};
    spec.env = {"PATH=/usr/bin:/bin", variable};
    spec.out = ends[1];
    pid_ = Spawn(spec).value();
    close(ends[1]);
    read_ = ends[0];
  }
  ~Shell() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(read_);
  }
  pid_t Number() const {
    std::string line;
    for (char c; read(read_, &c, 1) == 1 && c != '\n';) line += c;
    return std::atoi(line.c_str());
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int read_ = -1;
};

// Kills and waits: a child of this process.
void End(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

TEST(ProcessTree, DetachedGrandchild_IsADescendantWhileItsParentLives) {
  const Shell shell("setsid sh -c 'echo $$; exec sleep 1000' & wait");
  const pid_t grandchild = shell.Number();
  EXPECT_THAT(Descendants(getpid()), Contains(grandchild));
  EXPECT_THAT(Descendants(shell.pid()), ElementsAre(grandchild));
  kill(grandchild, SIGKILL);
}

TEST(ProcessTree, OrphanOfAKilledParent_BecomesAChildOfTheOneThatAdopts) {
  AdoptOrphans();
  pid_t orphan = 0;
  {
    const Shell shell("setsid sh -c 'echo $$; exec sleep 1000' & wait");
    orphan = shell.Number();
    EXPECT_THAT(OwnChildren(), Not(Contains(orphan)));
  }
  EXPECT_THAT(OwnChildren(), Contains(orphan));
  EXPECT_THAT(Descendants(getpid()), Contains(orphan));
  kill(orphan, SIGKILL);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, orphan, &info, WEXITED | WNOWAIT), 0);
  EXPECT_THAT(OwnChildren(), Contains(orphan)) << "its zombie is still to be waited for";
  EXPECT_THAT(Descendants(getpid()), Not(Contains(orphan)));
  End(orphan);
  EXPECT_THAT(OwnChildren(), Not(Contains(orphan)));
}

TEST(ProcessTree, StartedWith_FindsTheWholeValueOnly) {
  const std::string variable = absl::StrCat("MUSTER_TEST_TREE=", getpid(), "/1");
  const Shell shell("setsid sh -c 'echo $$; exec sleep 1000' & wait", variable);
  const Shell other("echo $$; exec sleep 1000", variable + "0");
  const pid_t grandchild = shell.Number();
  other.Number();
  EXPECT_THAT(StartedWith(variable), testing::UnorderedElementsAre(shell.pid(), grandchild));
  EXPECT_THAT(StartedWith(variable + "0"), ElementsAre(other.pid()));
  kill(grandchild, SIGKILL);
}

}  // namespace
}  // namespace muster::agent
