#include "lib/gang/record.h"

#include <gtest/gtest.h>

#include "lib/gang/gang_harness.h"
#include "lib/gang/record.pb.h"

namespace muster::gang {
namespace {

store::v1::GangRecord RecordOf(const Gang& gang) {
  store::v1::GangRecord record;
  EXPECT_TRUE(record.ParseFromString(ToRecord(gang)));
  return record;
}

Harness Running2() {
  Harness h;
  h.ToRunning({0, 1});
  return h;
}

// Who waits, leases and where pods are bound are learnt anew: they leave no trace in the record.
TEST(Record, SoftFacts_AreLeftOut) {
  Harness h({.source = v1::PlacementSpec::BOUND});
  const std::string before = ToRecord(h.gang);
  Step(h.gang, MemberCalled{.index = PodIndex(0), .incarnation = OnHost(1), .node = "n0"}, h.now);
  EXPECT_EQ(h.gang.here.count(), 1);
  EXPECT_EQ(ToRecord(h.gang), before);
}

// What is large and fixed is kept apart: a step of Running changes only the small part.
TEST(Record, PartsInAnyOrder_AreTheRecord) {
  Harness h = Running2();
  const std::string spec = ToRecord(h.gang, Part::kSpec), released = ToRecord(h.gang, Part::kReleased);
  const std::string moving = ToRecord(h.gang, Part::kMoving);
  EXPECT_FALSE(released.empty());
  for (const std::string& bytes : {moving + spec + released, released + moving + spec}) {
    const auto read = FromRecord(bytes);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(ToRecord(*read), ToRecord(h.gang));
  }
  EXPECT_EQ(FromRecord(moving + spec).status().code(), absl::StatusCode::kDataLoss);

  const auto member = h.gang.members.begin();
  Step(h.gang, CommandEnded{.index = member->first, .incarnation = *member->second.incarnation, .epoch = h.gang.epoch},
       h.now);
  ASSERT_EQ(h.phase(), v1::RUNNING);
  EXPECT_NE(ToRecord(h.gang, Part::kMoving), moving);
  EXPECT_EQ(ToRecord(h.gang, Part::kReleased), released);
}

TEST(Record, NewerFormat_IsRefusedWithTheWayOut) {
  store::v1::GangRecord record = RecordOf(Running2().gang);
  record.set_format(2);
  const auto read = FromRecord(record.SerializeAsString());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(read.status().ToString().find("format 2, this musterd reads up to 1"), std::string::npos);
}

TEST(Record, BytesThatAreNoRecord_AreDataLoss) {
  const std::string good = ToRecord(Running2().gang);
  for (const std::string& bytes : {std::string(), std::string("\xff\xff\xff"), good.substr(0, good.size() / 2)}) {
    EXPECT_EQ(FromRecord(bytes).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(Record, Contradictions_AreDataLoss) {
  using Record = store::v1::GangRecord;
  struct {
    const char* name;
    void (*spoil)(Record&);
  } const rows[] = {
      {"no state", [](Record& r) { r.clear_state(); }},
      {"no members", [](Record& r) { r.mutable_spec()->set_members(0); }},
      {"more members than ranks", [](Record& r) { r.mutable_spec()->set_members(3); }},
      {"a rank outside", [](Record& r) { r.mutable_running()->mutable_released()->mutable_members(0)->set_rank(7); }},
      {"a negative rank", [](Record& r) { r.mutable_running()->mutable_released()->mutable_members(0)->set_rank(-1); }},
      {"a member of nobody", [](Record& r) { r.mutable_members(0)->set_index(-4); }},
      {"a member without incarnation", [](Record& r) { r.mutable_members(0)->clear_incarnation(); }},
      {"a released member that is unknown", [](Record& r) { r.clear_members(); }},
      {"fewer released than members",
       [](Record& r) { r.mutable_running()->mutable_released()->mutable_members()->RemoveLast(); }},
      {"nothing to take up", [](Record& r) { r.mutable_stopping()->set_next(0); }},
  };
  for (const auto& row : rows) {
    Record record = RecordOf(Running2().gang);
    row.spoil(record);
    const auto read = FromRecord(record.SerializeAsString());
    EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss) << row.name;
    EXPECT_NE(read.status().ToString().find("contradicts itself"), std::string::npos) << read.status().ToString();
  }
}

// Infinitely far and before 1970, to the nanosecond: times come back as they were.
TEST(Record, Times_AreExact) {
  for (const absl::Time time :
       {absl::InfinitePast(), absl::InfiniteFuture(), absl::UnixEpoch(), absl::FromUnixNanos(-1),
        absl::FromUnixNanos(1'700'000'000'123'456'789), absl::FromUnixSeconds(253'402'300'799)}) {
    Harness h;
    h.gang.submitted = time;
    const auto read = FromRecord(ToRecord(h.gang));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->submitted, time);
  }
}

}  // namespace
}  // namespace muster::gang
