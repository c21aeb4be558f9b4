#include "client/worker/exec_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace muster::worker {

void BecomeIfExecChild(int argc, char** argv) {
  if (argc < 4 || std::strcmp(argv[1], kExecChild) != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the request.
  if (getppid() != std::atoi(argv[2])) _exit(137);
  execv(argv[3], argv + 3);
  std::fprintf(stderr, "muster: can't run %s: %s\n", argv[3], std::strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

}  // namespace muster::worker
