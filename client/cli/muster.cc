// `muster`, the command line.

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "client/cli/grpc_coordinator.h"
#include "client/cli/registry.h"
#include "client/cli/run.h"
#include "client/worker/exec_child.h"

namespace {

std::string Env(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

// Colour by the rules of no-color.org: on a terminal, unless NO_COLOR is set to anything or the terminal can't.
muster::cli::ScreenOptions OptionsOf(int fd) {
  muster::cli::ScreenOptions options;
  options.terminal = isatty(fd) == 1 && Env("TERM") != "dumb";
  options.colour = options.terminal && Env("NO_COLOR").empty();
  winsize size{};
  if (options.terminal && ioctl(fd, TIOCGWINSZ, &size) == 0) options.columns = size.ws_col;
  return options;
}

std::string FreshId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += absl::StrFormat("%08x", random());
  return id;
}

}  // namespace

int main(int argc, char** argv) {
  muster::worker::BecomeIfExecChild(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  muster::cli::Screen out(std::cout, OptionsOf(STDOUT_FILENO)), err(std::cerr, OptionsOf(STDERR_FILENO));
  muster::cli::Context context{.out = out,
                               .err = err,
                               .in = std::cin,
                               .now = [] { return absl::Now(); },
                               .zone = absl::LocalTimeZone(),
                               .sleep = [](absl::Duration duration) { absl::SleepFor(duration); },
                               .env = Env,
                               .fresh_id = FreshId,
                               .connect = muster::cli::ConnectCoordinator,
                               .server = "",
                               .timeout = absl::nullopt};
  return muster::cli::Run({argv + 1, argv + argc}, muster::cli::AllCommands(), context);
}
