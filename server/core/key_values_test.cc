#include "server/core/key_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "lib/base/errors.h"
#include "server/core/fake_clock.h"
#include "server/store/memory_store.h"

namespace muster::core {
namespace {

using ::testing::HasSubstr;

template <typename T>
struct Slot {
  Reply<T> reply() {
    return [this](absl::StatusOr<T> answer) {
      ++count;
      this->answer = std::move(answer);
    };
  }
  std::optional<absl::StatusOr<T>> answer;
  int count = 0;
};

class KeyValuesTest : public ::testing::Test {
 protected:
  explicit KeyValuesTest(store::MemoryStore::Mode mode = store::MemoryStore::Mode::kAtOnce) { Open(mode); }

  void Open(store::MemoryStore::Mode mode, int64_t answer_bytes = 1000, int64_t total_bytes = 100'000) {
    store_ = store::MemoryStore::Open(disk_, mode);
    values_ = std::make_unique<KeyValues>(clock_, *store_,
                                          KeyValueLimits{.scope_bytes = 1000,
                                                         .total_bytes = total_bytes,
                                                         .answer_bytes = answer_bytes,
                                                         .max_waiting = 4,
                                                         .waiting_bytes = 3000});
    values_->OpenJob(JobUid("j"), Attempt(0), Epoch(1));
    values_->Load(*store_->Load(store::Kind::kKeyValue));
    values_->OpenTest(TestId("t"), 1);
  }
  static v1::Scope Job(int64_t epoch = 1) {
    v1::Scope scope;
    scope.set_job_uid("j");
    scope.set_epoch(epoch);
    return scope;
  }
  static v1::Scope Test() {
    v1::Scope scope;
    scope.set_test_id("t");
    scope.set_round(1);
    return scope;
  }
  absl::Status Set(const v1::Scope& scope, const std::string& key, const std::string& value) {
    v1::SetRequest request;
    *request.mutable_scope() = scope;
    request.add_pairs()->set_key(key);
    request.mutable_pairs(0)->set_value(value);
    Slot<v1::SetResponse> slot;
    values_->Set(request, slot.reply());
    return slot.answer->status();
  }
  absl::StatusOr<v1::GetResponse> Get(const v1::Scope& scope, const std::string& key) {
    v1::GetRequest request;
    *request.mutable_scope() = scope;
    request.add_keys(key);
    Slot<v1::GetResponse> slot;
    values_->Get(request, slot.reply());
    return *slot.answer;
  }
  absl::StatusOr<v1::AddResponse> Add(const std::string& key, int64_t delta, const std::string& id = "") {
    v1::AddRequest request;
    *request.mutable_scope() = Job();
    request.set_key(key);
    request.set_delta(delta);
    request.set_request_id(id);
    Slot<v1::AddResponse> slot;
    values_->Add(request, slot.reply());
    return *slot.answer;
  }
  v1::WaitRequest WaitFor(std::initializer_list<std::string> keys) {
    v1::WaitRequest request;
    *request.mutable_scope() = Job();
    for (const std::string& key : keys) request.add_keys(key);
    return request;
  }

  FakeClock clock_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::MemoryStore> store_;
  std::unique_ptr<KeyValues> values_;
};

TEST_F(KeyValuesTest, SetThenGet_AlsoAfterRestart) {
  ASSERT_TRUE(Set(Job(), "a", "1").ok());
  EXPECT_EQ(Get(Job(), "a")->entries(0).value(), "1");
  EXPECT_FALSE(Get(Job(), "b")->entries(0).found());
  EXPECT_EQ(Add("n", 5, "id-1")->value(), 5);
  Open(store::MemoryStore::Mode::kAtOnce);
  EXPECT_EQ(Get(Job(), "a")->entries(0).value(), "1");
  EXPECT_EQ(Add("n", 5, "id-1")->value(), 5);
}

TEST_F(KeyValuesTest, TestScope_IsNeverStored) {
  ASSERT_TRUE(Set(Test(), "a", "1").ok());
  EXPECT_EQ(Get(Test(), "a")->entries(0).value(), "1");
  EXPECT_TRUE(store_->Load(store::Kind::kKeyValue)->empty());
}

TEST_F(KeyValuesTest, ClosedScope_IsStale) {
  for (const v1::Scope& scope : {Job(2), Job(0)}) EXPECT_EQ(DetailOf(Set(scope, "a", "1"))->outcome(), v1::STALE);
  Slot<v1::GetResponse> waiting;
  values_->Wait(1, WaitFor({"x"}), absl::Seconds(10), waiting.reply());
  values_->CloseJob(JobUid("j"));
  ASSERT_EQ(waiting.count, 1);
  EXPECT_EQ(DetailOf(waiting.answer->status())->outcome(), v1::STALE);
  EXPECT_EQ(DetailOf(Set(Job(), "a", "1"))->outcome(), v1::STALE);
}

TEST_F(KeyValuesTest, Add_CountsOnceARequestAndGuardsOverflow) {
  EXPECT_EQ(Add("n", 2)->value(), 2);
  EXPECT_EQ(Add("n", 3, "r")->value(), 5);
  EXPECT_EQ(Add("n", 3, "r")->value(), 5);
  EXPECT_EQ(Get(Job(), "n")->entries(0).value(), "5");
  EXPECT_EQ(Add("n", INT64_MAX).status().code(), absl::StatusCode::kOutOfRange);
  ASSERT_TRUE(Set(Job(), "n", "x").ok());
  EXPECT_EQ(Add("n", 1).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(KeyValuesTest, CompareAndSet_OnlyWhereExpected) {
  const auto cas = [&](absl::optional<std::string> expected, const std::string& desired) {
    v1::CompareAndSetRequest request;
    *request.mutable_scope() = Job();
    request.set_key("k");
    if (expected) request.set_expected(*expected);
    request.set_desired(desired);
    Slot<v1::CompareAndSetResponse> slot;
    values_->CompareAndSet(request, slot.reply());
    return **slot.answer;
  };
  EXPECT_FALSE(cas("no", "1").set());
  EXPECT_TRUE(cas(absl::nullopt, "1").set());
  const auto lost = cas(absl::nullopt, "2");
  EXPECT_FALSE(lost.set());
  EXPECT_EQ(lost.value(), "1");
  EXPECT_TRUE(cas("1", "2").set());
}

TEST_F(KeyValuesTest, Wait_AnswersWhenAllAreThereInTheRequestsOrder) {
  Slot<v1::GetResponse> slot;
  values_->Wait(1, WaitFor({"b", "a"}), absl::Seconds(10), slot.reply());
  ASSERT_TRUE(Set(Job(), "a", "1").ok());
  EXPECT_EQ(slot.count, 0);
  ASSERT_TRUE(Set(Job(), "b", "2").ok());
  ASSERT_EQ(slot.count, 1);
  EXPECT_EQ((*slot.answer)->entries(0).value(), "2");
  EXPECT_EQ((*slot.answer)->entries(1).value(), "1");
}

TEST_F(KeyValuesTest, Wait_EndsWithTheMissingKeysNamed) {
  Slot<v1::GetResponse> slot;
  values_->Wait(1, WaitFor({"a", "b", "c", "d", "e"}), absl::Seconds(10), slot.reply());
  ASSERT_TRUE(Set(Job(), "a", "1").ok());
  clock_.Advance(absl::Seconds(11));
  values_->Expire();
  ASSERT_EQ(slot.count, 1);
  EXPECT_EQ(slot.answer->status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(slot.answer->status().message()), HasSubstr("4 of 5"));
  EXPECT_THAT(std::string(slot.answer->status().message()), HasSubstr("and 1 more"));
}

TEST_F(KeyValuesTest, Limits_RefuseAndChangeNothing) {
  EXPECT_EQ(Set(Job(), "big", std::string(2000, 'x')).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(Get(Job(), "big")->entries(0).found());
  std::vector<Slot<v1::GetResponse>> slots(5);
  for (int i = 0; i < 5; ++i) values_->Wait(i, WaitFor({"never"}), absl::Seconds(10), slots[i].reply());
  ASSERT_EQ(slots[4].count, 1);
  EXPECT_EQ(slots[4].answer->status().code(), absl::StatusCode::kResourceExhausted);
  values_->Abandon(0);
  EXPECT_EQ(slots[0].answer->status().code(), absl::StatusCode::kCancelled);
  values_->ShutDown();
  for (const auto& slot : slots) EXPECT_EQ(slot.count, 1);
}

TEST_F(KeyValuesTest, WaitsForManyLongKeys_AreRefusedPastTheirBytes) {
  v1::WaitRequest large = WaitFor({});
  for (int i = 0; i < 3; ++i) large.add_keys(std::string(300, static_cast<char>('a' + i)));
  Slot<v1::GetResponse> first, second, third;
  values_->Wait(1, large, absl::Seconds(10), first.reply());
  values_->Wait(2, large, absl::Seconds(10), second.reply());
  EXPECT_EQ(first.count, 0);
  ASSERT_EQ(second.count, 1);
  EXPECT_EQ(second.answer->status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second.answer->status().message()), HasSubstr("would pass the limit of 3000"));
  values_->Abandon(1);
  values_->Wait(3, large, absl::Seconds(10), third.reply());
  EXPECT_EQ(third.count, 0);
}

TEST_F(KeyValuesTest, AllScopesTogether_HaveALimitAndGiveBackWhatTheyClose) {
  Open(store::MemoryStore::Mode::kAtOnce, 1000, /*total_bytes=*/1500);
  ASSERT_TRUE(Set(Job(), "a", std::string(900, 'x')).ok());
  const absl::Status refused = Set(Test(), "b", std::string(900, 'x'));
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("901 bytes; 901 more would pass the limit of 1500"));
  // A commit that failed holds nothing.
  store_->FailWith(absl::UnavailableError("disk full"));
  EXPECT_FALSE(Set(Job(), "c", std::string(90, 'x')).ok());
  store_->FailWith(absl::OkStatus());
  values_->CloseJob(JobUid("j"));
  EXPECT_TRUE(Set(Test(), "b", std::string(900, 'x')).ok());
}

TEST_F(KeyValuesTest, Answer_LargerThanTheLimitIsRefusedHoweverItsKeysRepeat) {
  Open(store::MemoryStore::Mode::kAtOnce, /*answer_bytes=*/250);
  ASSERT_TRUE(Set(Job(), "k", std::string(100, 'x')).ok());
  const auto wait = WaitFor({"k", "k", "k", "k"});
  v1::GetRequest get;
  *get.mutable_scope() = Job();
  *get.mutable_keys() = wait.keys();
  Slot<v1::GetResponse> got, waited;
  values_->Get(get, got.reply());
  values_->Wait(1, wait, absl::Seconds(10), waited.reply());
  for (const auto* slot : {&got, &waited}) {
    ASSERT_EQ(slot->count, 1);
    EXPECT_EQ(slot->answer->status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(slot->answer->status().message()), HasSubstr("first 3 of 4 keys have 300 bytes"));
  }
  get.mutable_keys()->DeleteSubrange(2, 2);
  values_->Get(get, got.reply());
  EXPECT_EQ((*got.answer)->entries_size(), 2);
}

TEST_F(KeyValuesTest, Delete_CountsWhatWasThere) {
  ASSERT_TRUE(Set(Job(), "a", "1").ok());
  v1::DeleteRequest request;
  *request.mutable_scope() = Job();
  request.add_keys("a");
  request.add_keys("b");
  Slot<v1::DeleteResponse> slot;
  values_->Delete(request, slot.reply());
  EXPECT_EQ((*slot.answer)->deleted(), 1);
  EXPECT_FALSE(Get(Job(), "a")->entries(0).found());
  EXPECT_TRUE(store_->Load(store::Kind::kKeyValue)->empty());
}

TEST_F(KeyValuesTest, FailedStore_AnswersUnavailableAndChangesNothing) {
  store_->FailWith(absl::UnavailableError("disk full"));
  EXPECT_EQ(Set(Job(), "a", "1").code(), absl::StatusCode::kUnavailable);
  store_->FailWith(absl::OkStatus());
  EXPECT_FALSE(Get(Job(), "a")->entries(0).found());
  EXPECT_TRUE(Set(Job(), "a", "1").ok());
}

class ByHandTest : public KeyValuesTest {
 protected:
  ByHandTest() : KeyValuesTest(store::MemoryStore::Mode::kByHand) {}
};

TEST_F(ByHandTest, ReadsWaitBehindTheWritesThatTheyCouldSee) {
  v1::SetRequest set;
  *set.mutable_scope() = Job();
  set.add_pairs()->set_key("a");
  Slot<v1::SetResponse> written;
  values_->Set(set, written.reply());
  v1::GetRequest get;
  *get.mutable_scope() = Job();
  get.add_keys("a");
  Slot<v1::GetResponse> read;
  values_->Get(get, read.reply());
  Slot<v1::GetResponse> waited;
  values_->Wait(1, WaitFor({"a"}), absl::Seconds(10), waited.reply());
  EXPECT_EQ(written.count + read.count + waited.count, 0);
  store_->Flush();
  EXPECT_EQ(written.count, 1);
  EXPECT_EQ(waited.count, 1);
  ASSERT_EQ(read.count, 1);
  EXPECT_TRUE((*read.answer)->entries(0).found());
}

}  // namespace
}  // namespace muster::core
