#pragma once
// The small store behind KeyValueService: scopes that the core opens with an epoch or a round of a test and closes with
// it. Has its own lock, so that start-up exchange doesn't pass through the loop.
//
// What a job's scope answers is durable: calls are taken in the order they came, applied together, committed once
// (group commit) and only then answered; reads wait behind the writes they could see. Test scopes live in memory.
// Any thread. Replies run on the caller's thread or the store's.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/ids.h"
#include "lib/base/mutex.h"
#include "proto/muster/v1/key_value_service.pb.h"
#include "server/core/clock.h"
#include "server/core/deadline_wheel.h"
#include "server/core/key_value_scope.h"
#include "server/core/keys.h"
#include "server/core/reply.h"
#include "server/store/store.h"

namespace muster::core {

struct KeyValueLimits {
  int64_t scope_bytes = int64_t{64} << 20;
  // Of all scopes together.
  int64_t total_bytes = int64_t{2} << 30;
  // Values of one answer, in bytes: a request may name one large value thousands of times.
  int64_t answer_bytes = int64_t{3} << 20;
  int64_t max_waiting = 200'000;
  // Of requests that wait: for their turn, or for keys.
  int64_t waiting_bytes = int64_t{256} << 20;
};

// Errors of all calls: FAILED_PRECONDITION (STALE): the scope is not open; RESOURCE_EXHAUSTED: the scope's bytes,
// those of all scopes, or too many calls; INVALID_ARGUMENT: an answer would be too large, which is said before it is
// made; UNAVAILABLE: the store failed, nothing was changed. Requests are validated by the caller.
class KeyValues {
 public:
  KeyValues(const Clock& clock, store::Store& store, KeyValueLimits limits)
      : clock_(clock), store_(store), limits_(limits) {
    budget_.limit = limits.total_bytes;
  }

  // `wake` is called, without the lock, when Expire is due sooner than NextExpiry said before.
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }

  // By the core. What a scope held goes with it; waiting calls are answered STALE.
  void OpenJob(const JobUid& job, Attempt attempt, Epoch epoch);
  void CloseJob(const JobUid& job);
  void OpenTest(const TestId& test, int32_t round);
  void CloseTest(const TestId& test);
  // At start, after the open scopes are open: what the store has. Records of closed scopes are ignored.
  void Load(const std::vector<store::Record>& records);
  // Record keys of a job begin so.
  static std::string PrefixOf(const JobUid& job) { return job.value() + "/"; }

  void Set(const v1::SetRequest& request, Reply<v1::SetResponse> reply);
  void Get(const v1::GetRequest& request, Reply<v1::GetResponse> reply);
  void Add(const v1::AddRequest& request, Reply<v1::AddResponse> reply);
  void CompareAndSet(const v1::CompareAndSetRequest& request, Reply<v1::CompareAndSetResponse> reply);
  void Delete(const v1::DeleteRequest& request, Reply<v1::DeleteResponse> reply);
  // Answered when all keys are there, or DEADLINE_EXCEEDED after `timeout`.
  void Wait(CallId id, const v1::WaitRequest& request, absl::Duration timeout, Reply<v1::GetResponse> reply);
  void Abandon(CallId id);

  absl::Time NextExpiry() const;
  void Expire();
  // Answers everything that waits with UNAVAILABLE; later calls, too.
  void ShutDown();

 private:
  // Called without the lock.
  using Finish = absl::AnyInvocable<void(const absl::Status& committed)>;
  struct Op {
    std::string scope;
    int64_t bytes = 0;
    // Null scope: not open.
    absl::AnyInvocable<Finish(KeyValueChange* scope)> run;
  };
  struct Waiter {
    std::string scope;
    std::vector<std::string> keys;
    Reply<v1::GetResponse> reply;
    int64_t bytes = 0;
  };
  struct Open {
    KeyValueScope scope;
    bool durable = false;
    // Calls that wait for a key.
    std::map<std::string, std::vector<CallId>> waiting;
  };

  template <typename T, typename Request>
  void Submit(const Request& request, Reply<T> reply, absl::AnyInvocable<absl::StatusOr<T>(KeyValueChange&)> run);
  // Room for one more call of so many bytes among `calls` that wait.
  absl::Status RoomToWait(size_t calls, int64_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Takes what waits in the queue and commits it, until nothing waits or a commit is under way.
  void Pump();
  void Committed(std::map<std::string, KeyValueChange> changes, std::vector<Finish> finishes,
                 const absl::Status& status);
  void CloseScope(const std::string& name, std::vector<Waiter>& out) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Waiters for keys of `change` whose keys are all there now.
  void TakeReady(const std::string& name, const KeyValueChange& change,
                 std::vector<std::pair<Waiter, absl::StatusOr<v1::GetResponse>>>& ready)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::optional<Waiter> TakeWaiter(CallId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Clock& clock_;
  store::Store& store_;
  const KeyValueLimits limits_;
  std::function<void()> wake_;

  mutable Mutex mu_;
  std::map<std::string, Open> open_ ABSL_GUARDED_BY(mu_);
  KeyValueBudget budget_ ABSL_GUARDED_BY(mu_);
  int64_t waiting_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  std::deque<Op> queue_ ABSL_GUARDED_BY(mu_);
  bool committing_ ABSL_GUARDED_BY(mu_) = false;
  bool down_ ABSL_GUARDED_BY(mu_) = false;
  absl::flat_hash_map<CallId, Waiter> waiters_ ABSL_GUARDED_BY(mu_);
  DeadlineWheel<CallId> expiry_ ABSL_GUARDED_BY(mu_){absl::Milliseconds(100)};
};

}  // namespace muster::core
