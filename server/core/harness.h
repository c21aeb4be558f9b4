#pragma once
// A coordinator run by hand in virtual time, with scripted agents and members: what tests of the core stand on.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/muster/v1/agent_service.pb.h"
#include "proto/muster/v1/worker_service.pb.h"
#include "server/core/fake_clock.h"
#include "server/core/loop_coordinator.h"
#include "server/store/memory_store.h"

namespace muster::core {

// An answer that may be still to come.
template <typename T>
class Pending {
 public:
  Reply<T> reply() {
    return [slot = slot_](absl::StatusOr<T> answer) {
      ++slot->count;
      slot->answer = std::move(answer);
    };
  }
  bool done() const { return slot_->count > 0; }
  // How often it was answered: never more than once.
  int count() const { return slot_->count; }
  const absl::StatusOr<T>& get() const { return *slot_->answer; }

 private:
  struct Slot {
    std::optional<absl::StatusOr<T>> answer;
    int count = 0;
  };
  std::shared_ptr<Slot> slot_ = std::make_shared<Slot>();
};

class Harness {
 public:
  explicit Harness(Options options = {}, store::MemoryStore::Mode mode = store::MemoryStore::Mode::kAtOnce);
  ~Harness() { store->Crash(); }

  // Starts a coordinator on what the disk has; the one before is gone as by kill -9.
  void Start();
  void Run() { coordinator->RunUntilIdle(); }
  void Advance(absl::Duration by);

  // Makes a call, runs the loop, returns the answer. Precondition: it is answered at once.
  template <typename T, typename Call>
  absl::StatusOr<T> Ask(Call call) {
    Pending<T> pending;
    call(*coordinator, pending.reply());
    Run();
    if (!pending.done()) return absl::DeadlineExceededError("not answered");
    return pending.get();
  }

  absl::StatusOr<v1::Job> Submit(const std::string& name, v1::JobSpec spec);
  v1::Job Job(const std::string& name);
  v1::Phase Phase(const std::string& name) { return Job(name).phase(); }
  absl::StatusOr<v1::Job> Cancel(const std::string& name);
  v1::Node Node(const std::string& name);

  FakeClock clock;
  Metrics metrics;
  Options options;
  store::MemoryStore::Mode mode;
  std::shared_ptr<store::MemoryDisk> disk = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::MemoryStore> store;
  std::unique_ptr<LoopCoordinator> coordinator;
};

// A node's agent, as scripted: it takes orders when Turn is called.
class FakeAgent {
 public:
  FakeAgent(Harness& harness, std::string name, std::string rack);

  // Registers, and comes for orders once, without taking any.
  absl::Status Register();
  // Polls once and does what it is told. Returns the tasks.
  std::vector<v1::Task> Turn();
  void ReportEnded(const v1::OrderMark& mark);
  void ReportMemberEnded(int32_t pod_index, int32_t exit_code);

  v1::NodeInfo info;
  int64_t ordinal = 1;
  // What it can do: not confirm stops, not report tests, report wrong data.
  bool confirms = true, reports = true, corrupt = false;
  // Whether it goes on after it has registered.
  bool follows = true;

  std::map<std::string, v1::OrderMark> seen;
  // By pod index: incarnations that were started here and not ended.
  std::map<int32_t, v1::Incarnation> members;
  std::string job_uid;
  int tests = 0, starts = 0, stops = 0;

 private:
  absl::StatusOr<v1::NextTaskResponse> Look();
  void RunTest(const v1::Task& task);
  absl::Status Report(const v1::ReportTaskRequest& request);
  Harness& harness_;
};

// One member's process that calls for its rank.
struct FakeMember {
  v1::JobRef job;
  int32_t index = 0;
  v1::Incarnation incarnation;
  std::string node;
  std::optional<int32_t> local_rank;
  std::optional<int64_t> last_epoch = {};  // of the last assignment that reached it

  Pending<v1::GetRankResponse> Call(Harness& harness, absl::Duration poll = absl::Seconds(20)) const;
  Pending<v1::WatchGangResponse> Watch(Harness& harness, int64_t epoch, absl::Duration poll = absl::Seconds(20)) const;
  absl::Status Exit(Harness& harness, int64_t epoch, int32_t code, bool ordered = false) const;
};

// `members` members of one worker on any nodes, started by others.
v1::JobSpec Spec(int32_t members, v1::LaunchSpec::Kind launch = v1::LaunchSpec::EXTERNAL);
// Every agent polls and works until none is told anything new.
void Settle(Harness& harness, std::vector<std::unique_ptr<FakeAgent>>& agents);

}  // namespace muster::core
