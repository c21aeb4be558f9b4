#include "server/core/key_values.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/errors.h"

namespace muster::core {
namespace {

// Calls that one commit takes at most.
constexpr size_t kBatch = 4096;

std::string JobScope(const std::string& job, int64_t attempt, int64_t epoch) {
  return absl::StrCat(job, "/", attempt, "/", epoch, "/");
}
std::string TestScope(const std::string& test, int32_t round) { return absl::StrCat("test:", test, "/", round, "/"); }

std::string NameOf(const v1::Scope& scope) {
  return scope.test_id().empty() ? JobScope(scope.job_uid(), scope.attempt(), scope.epoch())
                                 : TestScope(scope.test_id(), scope.round());
}

absl::Status NotOpen(const std::string& name) {
  return OutcomeError(
      absl::StatusCode::kFailedPrecondition, v1::STALE,
      absl::StrCat("the key-value scope ", name, " is not open: its epoch or test is over, or has not begun"),
      "call GetRank again for the present epoch");
}

absl::Status Down() { return absl::UnavailableError("the coordinator is shutting down; call again"); }

template <typename Keys>
absl::StatusOr<v1::GetResponse> ReadAll(const KeyValueChange& scope, const Keys& keys, int64_t most) {
  v1::GetResponse response;
  int64_t bytes = 0;
  for (const std::string& key : keys) {
    auto* entry = response.add_entries();
    if (absl::optional<std::string> value = scope.Get(key)) {
      bytes += static_cast<int64_t>(value->size());
      if (bytes > most)
        return FieldError("keys",
                          absl::StrCat("the values of the first ", response.entries_size(), " of ", keys.size(),
                                       " keys have ", bytes, " bytes"),
                          absl::StrCat("ask for fewer: at most ", most, " bytes an answer"));
      entry->set_found(true);
      entry->set_value(*std::move(value));
    }
  }
  return response;
}

absl::StatusOr<v1::AddResponse> AddTo(KeyValueChange& scope, const v1::AddRequest& request) {
  v1::AddResponse response;
  if (!request.request_id().empty()) {
    if (const absl::optional<int64_t> before = scope.Added(request.request_id())) {
      response.set_value(*before);
      return response;
    }
  }
  int64_t value = 0;
  const absl::optional<std::string> present = scope.Get(request.key());
  if (present && !absl::SimpleAtoi(*present, &value)) {
    return OutcomeError(absl::StatusCode::kFailedPrecondition, v1::BAD_REQUEST,
                        absl::StrCat("the value of key \"", absl::CHexEscape(request.key().substr(0, 64)),
                                     "\" is no decimal integer of 64 bits"),
                        "add to another key, or delete this one first");
  }
  int64_t sum = 0;
  if (__builtin_add_overflow(value, request.delta(), &sum)) {
    return OutcomeError(absl::StatusCode::kOutOfRange, v1::BAD_REQUEST,
                        absl::StrCat(value, " + ", request.delta(), " is past 64 bits"), "add less");
  }
  // Both or neither: room for both is looked for first.
  if (!request.request_id().empty()) {
    if (absl::Status s = scope.Room(static_cast<int64_t>(request.request_id().size() + request.key().size()) + 64);
        !s.ok())
      return s;
  }
  if (absl::Status s = scope.Put(request.key(), absl::StrCat(sum)); !s.ok()) return s;
  if (!request.request_id().empty()) {
    if (absl::Status s = scope.RememberAdd(request.request_id(), sum); !s.ok()) return s;
  }
  response.set_value(sum);
  return response;
}

}  // namespace

void KeyValues::OpenJob(const JobUid& job, Attempt attempt, Epoch epoch) {
  MutexLock lock(&mu_);
  open_[JobScope(job.value(), attempt.value(), epoch.value())].durable = true;
}

void KeyValues::OpenTest(const TestId& test, int32_t round) {
  MutexLock lock(&mu_);
  open_[TestScope(test.value(), round)].durable = false;
}

void KeyValues::CloseScope(const std::string& name, std::vector<Waiter>& out) {
  const auto found = open_.find(name);
  if (found == open_.end()) return;
  std::vector<CallId> ids;
  for (const auto& [key, calls] : found->second.waiting) ids.insert(ids.end(), calls.begin(), calls.end());
  for (CallId id : ids)
    if (absl::optional<Waiter> waiter = TakeWaiter(id)) out.push_back(*std::move(waiter));
  budget_.used -= found->second.scope.bytes;
  open_.erase(found);
}

void KeyValues::CloseJob(const JobUid& job) {
  std::vector<Waiter> ended;
  {
    MutexLock lock(&mu_);
    const std::string prefix = PrefixOf(job);
    for (auto i = open_.lower_bound(prefix); i != open_.end() && i->first.compare(0, prefix.size(), prefix) == 0;)
      CloseScope((i++)->first, ended);
  }
  for (Waiter& waiter : ended) waiter.reply(NotOpen(waiter.scope));
}

void KeyValues::CloseTest(const TestId& test) {
  std::vector<Waiter> ended;
  {
    MutexLock lock(&mu_);
    const std::string prefix = absl::StrCat("test:", test.value(), "/");
    for (auto i = open_.lower_bound(prefix); i != open_.end() && i->first.compare(0, prefix.size(), prefix) == 0;)
      CloseScope((i++)->first, ended);
  }
  for (Waiter& waiter : ended) waiter.reply(NotOpen(waiter.scope));
}

void KeyValues::Load(const std::vector<store::Record>& records) {
  MutexLock lock(&mu_);
  for (const store::Record& record : records) {
    // Scope names hold no other scope's name as their beginning: they end in '/' after a fixed number of parts.
    auto after = open_.upper_bound(record.key);
    if (after == open_.begin()) continue;
    auto& [name, open] = *std::prev(after);
    if (record.key.compare(0, name.size(), name) != 0) continue;
    const int64_t before = open.scope.bytes;
    ReadRecord(absl::string_view(record.key).substr(name.size()), record.value, open.scope);
    budget_.used += open.scope.bytes - before;
  }
}

absl::Status KeyValues::RoomToWait(size_t calls, int64_t bytes) const {
  if (down_) return Down();
  if (static_cast<int64_t>(calls) >= limits_.max_waiting)
    return OutcomeError(absl::StatusCode::kResourceExhausted, v1::OVERLOADED,
                        absl::StrCat(limits_.max_waiting, " key-value calls wait already"), "call again later");
  if (waiting_bytes_ + bytes > limits_.waiting_bytes)
    return OutcomeError(absl::StatusCode::kResourceExhausted, v1::OVERLOADED,
                        absl::StrCat("the key-value calls that wait have ", waiting_bytes_, " bytes; ", bytes,
                                     " more would pass the limit of ", limits_.waiting_bytes),
                        "call again later, or for fewer keys at once");
  return absl::OkStatus();
}

template <typename T, typename Request>
void KeyValues::Submit(const Request& request, Reply<T> reply,
                       absl::AnyInvocable<absl::StatusOr<T>(KeyValueChange&)> run) {
  // Shared by the op's two ends; used once.
  auto shared = std::make_shared<Reply<T>>(std::move(reply));
  Op op;
  op.scope = NameOf(request.scope());
  op.bytes = static_cast<int64_t>(request.ByteSizeLong());
  op.run = [shared, name = op.scope, run = std::move(run)](KeyValueChange* change) mutable -> Finish {
    auto result =
        std::make_shared<absl::StatusOr<T>>(change == nullptr ? absl::StatusOr<T>(NotOpen(name)) : run(*change));
    return [shared, result](const absl::Status& committed) {
      (*shared)(committed.ok() ? std::move(*result) : absl::StatusOr<T>(committed));
    };
  };
  absl::Status room;
  {
    MutexLock lock(&mu_);
    room = RoomToWait(queue_.size(), op.bytes);
    if (room.ok()) {
      waiting_bytes_ += op.bytes;
      queue_.push_back(std::move(op));
    }
  }
  if (!room.ok()) return (*shared)(room);
  Pump();
}

void KeyValues::Pump() {
  for (;;) {
    std::map<std::string, KeyValueChange> changes;
    std::vector<Finish> finishes;
    store::Batch batch;
    {
      MutexLock lock(&mu_);
      if (committing_ || queue_.empty()) return;
      for (size_t n = 0; n < kBatch && !queue_.empty(); ++n) {
        Op op = std::move(queue_.front());
        queue_.pop_front();
        waiting_bytes_ -= op.bytes;
        const auto open = open_.find(op.scope);
        KeyValueChange* change = nullptr;
        if (open != open_.end())
          change = &changes.try_emplace(op.scope, open->second.scope, limits_.scope_bytes, budget_).first->second;
        finishes.push_back(op.run(change));
      }
      for (const auto& [name, change] : changes)
        if (open_[name].durable) change.WriteTo(name, batch);
      committing_ = true;
    }
    if (batch.empty()) {
      Committed(std::move(changes), std::move(finishes), absl::OkStatus());
      continue;
    }
    store_.Commit(std::move(batch), [this, changes = std::move(changes),
                                     finishes = std::move(finishes)](const absl::Status& status) mutable {
      Committed(std::move(changes), std::move(finishes),
                status.ok() ? status
                            : absl::UnavailableError(absl::StrCat("not durable: ", status.message(), "; call again")));
      Pump();
    });
    return;
  }
}

void KeyValues::Committed(std::map<std::string, KeyValueChange> changes, std::vector<Finish> finishes,
                          const absl::Status& status) {
  std::vector<std::pair<Waiter, absl::StatusOr<v1::GetResponse>>> ready;
  {
    MutexLock lock(&mu_);
    committing_ = false;
    for (auto& [name, change] : changes) {
      const auto open = open_.find(name);
      if (!status.ok() || open == open_.end()) {
        change.Drop();
        continue;
      }
      change.ApplyTo(open->second.scope);
      TakeReady(name, change, ready);
    }
  }
  for (Finish& finish : finishes) finish(status);
  for (auto& [waiter, response] : ready) waiter.reply(std::move(response));
}

void KeyValues::TakeReady(const std::string& name, const KeyValueChange& change,
                          std::vector<std::pair<Waiter, absl::StatusOr<v1::GetResponse>>>& ready) {
  Open& open = open_[name];
  const KeyValueChange now(open.scope, limits_.scope_bytes, budget_);
  for (const auto& [key, value] : change.values()) {
    const auto waiting = open.waiting.find(key);
    if (!value || waiting == open.waiting.end()) continue;
    const std::vector<CallId> ids = waiting->second;
    for (CallId id : ids) {
      const auto found = waiters_.find(id);
      if (found == waiters_.end()) continue;
      const auto& keys = found->second.keys;
      if (!std::all_of(keys.begin(), keys.end(), [&](const std::string& k) { return open.scope.values.count(k) > 0; }))
        continue;
      absl::StatusOr<v1::GetResponse> response = ReadAll(now, keys, limits_.answer_bytes);
      ready.emplace_back(*TakeWaiter(id), std::move(response));
    }
  }
}

absl::optional<KeyValues::Waiter> KeyValues::TakeWaiter(CallId id) {
  const auto found = waiters_.find(id);
  if (found == waiters_.end()) return absl::nullopt;
  Waiter waiter = std::move(found->second);
  waiters_.erase(found);
  waiting_bytes_ -= waiter.bytes;
  const auto open = open_.find(waiter.scope);
  if (open == open_.end()) return waiter;
  for (const std::string& key : waiter.keys) {
    const auto waiting = open->second.waiting.find(key);
    if (waiting == open->second.waiting.end()) continue;
    std::erase(waiting->second, id);
    if (waiting->second.empty()) open->second.waiting.erase(waiting);
  }
  return waiter;
}

void KeyValues::Set(const v1::SetRequest& request, Reply<v1::SetResponse> reply) {
  Submit<v1::SetResponse>(
      request, std::move(reply), [request](KeyValueChange& scope) -> absl::StatusOr<v1::SetResponse> {
        int64_t more = 0;
        for (const v1::KeyValue& pair : request.pairs()) {
          const absl::optional<std::string> before = scope.Get(pair.key());
          more += static_cast<int64_t>(pair.value().size()) -
                  (before ? static_cast<int64_t>(before->size()) : -static_cast<int64_t>(pair.key().size()));
        }
        if (absl::Status room = scope.Room(more); !room.ok()) return room;
        for (const v1::KeyValue& pair : request.pairs())
          if (absl::Status put = scope.Put(pair.key(), pair.value()); !put.ok()) return put;
        return v1::SetResponse();
      });
}

void KeyValues::Get(const v1::GetRequest& request, Reply<v1::GetResponse> reply) {
  Submit<v1::GetResponse>(
      request, std::move(reply),
      [request, most = limits_.answer_bytes](KeyValueChange& scope) -> absl::StatusOr<v1::GetResponse> {
        return ReadAll(scope, request.keys(), most);
      });
}

void KeyValues::Add(const v1::AddRequest& request, Reply<v1::AddResponse> reply) {
  Submit<v1::AddResponse>(request, std::move(reply),
                          [request](KeyValueChange& scope) { return AddTo(scope, request); });
}

void KeyValues::CompareAndSet(const v1::CompareAndSetRequest& request, Reply<v1::CompareAndSetResponse> reply) {
  Submit<v1::CompareAndSetResponse>(
      request, std::move(reply), [request](KeyValueChange& scope) -> absl::StatusOr<v1::CompareAndSetResponse> {
        v1::CompareAndSetResponse response;
        absl::optional<std::string> present = scope.Get(request.key());
        const bool matches = request.has_expected() ? present && *present == request.expected() : !present;
        if (matches) {
          if (absl::Status put = scope.Put(request.key(), request.desired()); !put.ok()) return put;
          present = request.desired();
          response.set_set(true);
        }
        response.set_found(present.has_value());
        if (present) response.set_value(*std::move(present));
        return response;
      });
}

void KeyValues::Delete(const v1::DeleteRequest& request, Reply<v1::DeleteResponse> reply) {
  Submit<v1::DeleteResponse>(request, std::move(reply),
                             [request](KeyValueChange& scope) -> absl::StatusOr<v1::DeleteResponse> {
                               v1::DeleteResponse response;
                               for (const std::string& key : request.keys()) {
                                 if (!scope.Get(key)) continue;
                                 scope.Erase(key);
                                 response.set_deleted(response.deleted() + 1);
                               }
                               return response;
                             });
}

void KeyValues::Wait(CallId id, const v1::WaitRequest& request, absl::Duration timeout, Reply<v1::GetResponse> reply) {
  const std::string name = NameOf(request.scope());
  // Each key is there twice, with what finds it: the waiter's, and the scope's that calls wait by.
  const int64_t bytes = 2 * static_cast<int64_t>(request.ByteSizeLong()) + int64_t{request.keys_size()} * 128;
  absl::StatusOr<v1::GetResponse> answer = absl::StatusOr<v1::GetResponse>(v1::GetResponse());
  bool sooner = false;
  {
    MutexLock lock(&mu_);
    const auto open = open_.find(name);
    if (!down_ && open == open_.end()) {
      answer = NotOpen(name);
    } else if (absl::Status room = RoomToWait(waiters_.size(), bytes); !room.ok()) {
      answer = room;
    } else {
      Waiter waiter{name, {request.keys().begin(), request.keys().end()}, std::move(reply), bytes};
      std::sort(waiter.keys.begin(), waiter.keys.end());
      waiter.keys.erase(std::unique(waiter.keys.begin(), waiter.keys.end()), waiter.keys.end());
      const bool all = std::all_of(waiter.keys.begin(), waiter.keys.end(),
                                   [&](const std::string& key) { return open->second.scope.values.count(key) > 0; });
      if (all) {
        answer = ReadAll(KeyValueChange(open->second.scope, limits_.scope_bytes, budget_), request.keys(),
                         limits_.answer_bytes);
        reply = std::move(waiter.reply);
      } else {
        // Answered in the order of the request's keys.
        waiter.keys.assign(request.keys().begin(), request.keys().end());
        for (const std::string& key : waiter.keys) open->second.waiting[key].push_back(id);
        waiting_bytes_ += bytes;
        waiters_.emplace(id, std::move(waiter));
        const absl::Time before = expiry_.Next();
        expiry_.Add(clock_.Now() + timeout, id);
        sooner = expiry_.Next() < before;
        reply = nullptr;
      }
    }
  }
  if (reply != nullptr) reply(std::move(answer));
  if (sooner && wake_) wake_();
}

void KeyValues::Abandon(CallId id) {
  absl::optional<Waiter> waiter;
  {
    MutexLock lock(&mu_);
    waiter = TakeWaiter(id);
  }
  if (waiter) waiter->reply(absl::CancelledError("the caller has gone"));
}

absl::Time KeyValues::NextExpiry() const {
  MutexLock lock(&mu_);
  return expiry_.Next();
}

void KeyValues::Expire() {
  std::vector<std::pair<Waiter, absl::Status>> expired;
  {
    MutexLock lock(&mu_);
    for (CallId id : expiry_.Due(clock_.Now())) {
      absl::optional<Waiter> waiter = TakeWaiter(id);
      if (!waiter) continue;
      const auto open = open_.find(waiter->scope);
      std::vector<std::string> missing;
      for (const std::string& key : waiter->keys)
        if (open == open_.end() || open->second.scope.values.count(key) == 0)
          missing.push_back(absl::StrCat("\"", absl::CHexEscape(key.substr(0, 64)), "\""));
      const std::string message =
          absl::StrCat(missing.size(), " of ", waiter->keys.size(), " keys are not there yet: ", FewNames(missing));
      expired.emplace_back(*std::move(waiter), absl::DeadlineExceededError(message));
    }
  }
  for (auto& [waiter, status] : expired) waiter.reply(status);
}

void KeyValues::ShutDown() {
  std::vector<Waiter> ended;
  {
    MutexLock lock(&mu_);
    down_ = true;
    for (auto& [id, waiter] : waiters_) {
      waiting_bytes_ -= waiter.bytes;
      ended.push_back(std::move(waiter));
    }
    waiters_.clear();
    for (auto& [name, open] : open_) open.waiting.clear();
  }
  for (Waiter& waiter : ended) waiter.reply(Down());
}

}  // namespace muster::core
