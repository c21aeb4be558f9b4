// muster-agent. Also, not for people: `muster-agent test-child --parent PID` (test_child.h) and `muster-agent keep
// --parent PID --running FILE -- command…` (keeper.h), which the agent runs.

#include <pthread.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "client/agent/agent.h"
#include "client/agent/keeper.h"
#include "client/agent/leftovers.h"
#include "client/agent/options.h"
#include "client/agent/process_tree.h"
#include "client/agent/test_child.h"

namespace {

// Exit code of wrong flags or configuration; 1 for what else keeps the agent from running.
constexpr int kUsage = 2;

int Helper(const std::vector<std::string>& args) {
  if (args.size() < 3 || args[1] != "--parent") return kUsage;
  const int parent = std::atoi(args[2].c_str());
  if (args[0] == "test-child") muster::agent::TestChildMain(parent);
  if (args.size() < 7 || args[3] != "--running" || args[5] != "--") return kUsage;
  return muster::agent::Keep(parent, args[4], {args.begin() + 6, args.end()});
}

int Serve(muster::agent::AgentSetting setting) {
  setting.origin = muster::agent::OwnOrigin();
  // Blocked before any thread starts; one thread takes them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  muster::agent::AdoptOrphans();
  auto agent = muster::agent::Agent::Create(setting);
  if (!agent.ok()) {
    std::fprintf(stderr, "muster-agent: %s\n", std::string(agent.status().message()).c_str());
    return 1;
  }
  spdlog::info("node {} at {}, {} slots, launch {}, data in {}", setting.node.name(), setting.node.address(),
               setting.node.accelerators_size(), setting.node.allow_launch() ? "allowed" : "refused", setting.data);
  std::thread stopper([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    (*agent)->ShutDown();
  });
  (*agent)->Run();
  // Run may have ended by itself.
  pthread_kill(stopper.native_handle(), SIGTERM);
  stopper.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && (args[0] == "test-child" || args[0] == "keep")) return Helper(args);
  auto options = muster::agent::ParseOptions(args);
  if (!options.ok()) {
    std::fprintf(stderr, "muster-agent: %s\n", std::string(options.status().message()).c_str());
    return kUsage;
  }
  if (!options->print.empty()) {
    std::fputs(options->print.c_str(), stdout);
    return 0;
  }
  if (options->check_only) {
    std::puts("muster-agent: flags and configuration are right");
    return 0;
  }
  return Serve(std::move(options->setting));
}
