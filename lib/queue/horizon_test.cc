#include "lib/queue/horizon.h"

#include <gtest/gtest.h>

#include "lib/queue/test_jobs.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::Request;

class HorizonTest : public testing::Test {
 protected:
  Cluster cluster_ = Six();
  const Request one_ = Wants("x/one", {.nodes = 1}), two_ = Wants("x/two", {.nodes = 2}),
                five_ = Wants("x/five", {.nodes = 5}), rack_ = Wants("x/rack", {.nodes = 3, .required = "rack"});
};

TEST_F(HorizonTest, ReservesTheEarliestTime) {
  const std::vector<Holder> holders = {Holds(one_, {"a1"}, absl::Hours(1), absl::Hours(3), cluster_),
                                       Holds(two_, {"a2", "b1"}, absl::Hours(1), absl::Hours(2), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  EXPECT_EQ(horizon.CountFree(absl::InfiniteFuture()), 3);
  const Demand five = DemandOf(five_, cluster_);
  EXPECT_EQ(horizon.Reserve(five, absl::Hours(10)), kNow + absl::Hours(2));
  // All three free nodes are in it: whoever starts there now is gone in two hours.
  EXPECT_EQ(horizon.CountFree(kNow + absl::Hours(2)), 3);
  EXPECT_EQ(horizon.CountFree(kNow + absl::Hours(3)), 0);
  // The next one: a1 in three hours, or five's nodes at its end.
  EXPECT_EQ(horizon.Reserve(DemandOf(one_, cluster_), absl::Hours(1)), kNow + absl::Hours(3));
  EXPECT_EQ(horizon.Reserve(DemandOf(two_, cluster_), absl::Hours(1)), kNow + absl::Hours(12));
}

TEST_F(HorizonTest, RequiredTier_WaitsForItsDomain) {
  const std::vector<Holder> holders = {Holds(two_, {"a1", "a2"}, absl::Hours(1), absl::Hours(4), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  const Demand rack = DemandOf(rack_, cluster_);
  ASSERT_EQ(rack.domains().size(), 1u) << "r2 could never hold three";
  EXPECT_EQ(horizon.Reserve(rack, absl::InfiniteDuration()), kNow + absl::Hours(4));
  EXPECT_EQ(horizon.CountFree(absl::InfiniteFuture()), 3) << "the other rack, and the node of r1 that it leaves";
}

TEST_F(HorizonTest, UnknownEnds_KeepAllThatCouldServe) {
  const std::vector<Holder> holders = {Holds(two_, {"a1", "a2"}, absl::Hours(1), absl::InfiniteDuration(), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  EXPECT_EQ(horizon.Reserve(DemandOf(rack_, cluster_), absl::Hours(1)), absl::InfiniteFuture());
  EXPECT_EQ(horizon.CountFree(kNow), 2) << "r2 is left";
  EXPECT_EQ(horizon.Reserve(DemandOf(five_, cluster_), absl::Hours(1)), absl::InfiniteFuture());
  EXPECT_EQ(horizon.CountFree(kNow), 0);
}

TEST_F(HorizonTest, UnknownStart_KeepsOnlyWhatItCouldUseBeforeThoseAhead) {
  const std::vector<Holder> holders = {Holds(two_, {"a1", "a2"}, absl::Hours(1), absl::Hours(2), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  const Request six = Wants("x/six", {.nodes = 6});
  EXPECT_EQ(horizon.Reserve(DemandOf(six, cluster_), absl::InfiniteDuration()), kNow + absl::Hours(2));
  // It comes after that one, which nobody knows the end of; who is gone before delays neither.
  EXPECT_EQ(horizon.Reserve(DemandOf(one_, cluster_), absl::InfiniteDuration()), absl::InfiniteFuture());
  EXPECT_EQ(horizon.CountFree(kNow + absl::Hours(2)), 4);
  EXPECT_EQ(horizon.CountFree(kNow + absl::Hours(3)), 0);
  // Five would be gone in time as well, and may come to fit before.
  EXPECT_EQ(horizon.Reserve(DemandOf(five_, cluster_), absl::Hours(1)), absl::InfiniteFuture());
  EXPECT_EQ(horizon.CountFree(kNow), 0);
}

TEST_F(HorizonTest, LeavingAndOverdue_CountAsFreeAtOnce_FailedNodesNever) {
  std::vector<Holder> holders = {Holds(two_, {"a1", "a2"}, absl::Hours(1), absl::InfiniteDuration(), cluster_),
                                 Holds(one_, {"a3"}, absl::Hours(9), -absl::Hours(1), cluster_)};
  holders[0].leaving = true;
  Horizon horizon(cluster_, holders, kNow);
  EXPECT_EQ(horizon.Reserve(DemandOf(five_, cluster_), absl::Hours(1)), kNow);
  cluster_.state_of(NodeIndex(0)).ok = cluster_.state_of(NodeIndex(5)).ok = false;
  Horizon failed(cluster_, holders, kNow);
  EXPECT_EQ(failed.Reserve(DemandOf(five_, cluster_), absl::Hours(1)), absl::InfiniteFuture());
}

TEST_F(HorizonTest, Slices_AreExact) {
  v1::JobSpec spec = placement::Job(4, 8);
  auto* slice = spec.mutable_placement()->add_slices();
  slice->set_size(2);
  slice->set_tier("rack");
  const Request sliced = placement::RequestOf("x/sliced", spec, nullptr).value();
  // Free: a1, b1 and two of a rack only at 3 h and 5 h.
  const std::vector<Holder> holders = {Holds(one_, {"a2"}, absl::Hours(1), absl::Hours(5), cluster_),
                                       Holds(one_, {"b2"}, absl::Hours(1), absl::Hours(3), cluster_),
                                       Holds(two_, {"a3", "a4"}, absl::Hours(1), absl::InfiniteDuration(), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  EXPECT_EQ(horizon.Reserve(DemandOf(sliced, cluster_), absl::Hours(1)), kNow + absl::Hours(5));
}

TEST_F(HorizonTest, Taken_ButReservedLater_StaysReserved) {
  const std::vector<Holder> holders = {
      Holds(five_, {"a1", "a2", "a3", "a4", "b1"}, absl::Hours(1), absl::Hours(6), cluster_)};
  Horizon horizon(cluster_, holders, kNow);
  const Request six = Wants("x/six", {.nodes = 6});
  EXPECT_EQ(horizon.Reserve(DemandOf(six, cluster_), absl::Hours(1)), kNow + absl::Hours(6));
  horizon.Take({NodeIndex(5)}, kNow + absl::Hours(2));
  EXPECT_EQ(horizon.CountFree(kNow), 0);
  EXPECT_EQ(horizon.Reserve(DemandOf(one_, cluster_), absl::Hours(1)), kNow + absl::Hours(7)) << "not at two hours";
}

}  // namespace
}  // namespace muster::queue
