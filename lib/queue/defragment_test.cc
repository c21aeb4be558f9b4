#include "lib/queue/defragment.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/queue/test_jobs.h"

namespace muster::queue {
namespace {

using placement::Cluster;
using placement::HopCosts;
using placement::Request;

class DefragmentTest : public testing::Test {
 protected:
  std::optional<Proposal> Ask(const Request& request, const std::vector<Holder>& holders) {
    return Defragment(request, cluster_, holders, HopCosts::Default(1), kNow);
  }

  Cluster cluster_ = Six();
  const Request one_ = Wants("x/one", {.nodes = 1}), rack_ = Wants("y/rack", {.nodes = 4, .required = "rack"});
};

TEST_F(DefragmentTest, MovesTheLeastWork_AndSaysWhere) {
  const std::vector<Holder> holders = {Holds(one_, {"a2"}, absl::Hours(3), absl::Hours(1), cluster_)};
  const auto proposal = Ask(rack_, holders);
  ASSERT_TRUE(proposal);
  EXPECT_EQ(proposal->text,
            "moving x/one (1 node, 3 node-hours of work) elsewhere would make room for it now in rack r1");
  ASSERT_EQ(proposal->moves.size(), 1u);
  EXPECT_EQ(cluster_.topology->node(proposal->moves[0].to[0]).name[0], 'b');
}

TEST_F(DefragmentTest, NothingToPropose) {
  EXPECT_FALSE(Ask(rack_, {})) << "it fits";
  const Request wide = Wants("y/wide", {.nodes = 6});
  const std::vector<Holder> one = {Holds(one_, {"a2"}, absl::Hours(3), absl::Hours(1), cluster_)};
  EXPECT_FALSE(Ask(wide, one)) << "there is no elsewhere";
  const Request two = Wants("x/two", {.nodes = 2});
  const std::vector<Holder> full = {one[0], Holds(two, {"b1", "b2"}, absl::Hours(3), absl::Hours(1), cluster_)};
  EXPECT_FALSE(Ask(rack_, full)) << "no room to move to";
}

}  // namespace
}  // namespace muster::queue
