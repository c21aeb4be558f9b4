#pragma once
// The agent: what it is told by the coordinator, done by one thread that decides and owns every process.

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/agent/agent_setting.h"
#include "client/agent/event.h"
#include "client/agent/ledger_file.h"
#include "client/agent/session.h"
#include "client/agent/task_board.h"
#include "lib/base/mutex.h"

namespace muster::agent {

class Agent {
 public:
  // Takes the data folder. Errors as LedgerFile::Open.
  static absl::StatusOr<std::unique_ptr<Agent>> Create(AgentSetting setting);

  // Works until ShutDown, then ends everything that it started, says so to the coordinator if it can within a few
  // seconds, and returns. Children die with the calling thread. Call once.
  void Run();
  // From any thread.
  void ShutDown() { events_.Put(muster::agent::ShutDown{}); }

 private:
  Agent(AgentSetting setting, LedgerFile file) : setting_(std::move(setting)), file_(std::move(file)) {}

  void Handle(Event event, TaskBoard& board, Children& children);
  void Publish(const TaskBoard& board);
  std::vector<v1::RegisterRequest::Known> Known();
  void Deliver(const v1::Task& task);
  bool Begin(uint64_t term);
  // Hands it to the deciding thread and waits for `done`; false: nobody decides any more.
  bool Decide(Event event, Notification& done);
  // Lets go whoever waits for an order to be taken.
  void Close();

  const AgentSetting setting_;
  LedgerFile file_;
  v1::Incarnation session_;
  EventQueue events_;
  // Of the deciding thread.
  bool stopping_ = false;
  std::string last_refusal_;

  Mutex mu_;
  // The board's, as of its last change: for the session's threads.
  std::vector<v1::RegisterRequest::Known> known_ ABSL_GUARDED_BY(mu_);
  // Nobody will take orders any more.
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace muster::agent
