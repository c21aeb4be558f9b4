#include "lib/selftest/simulated_group.h"

#include <gtest/gtest.h>

#include "lib/selftest/payload.h"

namespace muster::selftest {
namespace {

v1::TestStep Step(v1::Collective collective) {
  v1::TestStep step;
  step.set_collective(collective);
  step.set_bytes(4096);
  step.set_iterations(5);
  return step;
}

TEST(SimulatedGroup, SlowLink_SlowsEveryMemberOfAGroupThatCrossesIt) {
  std::vector<SimulatedMember> members = {{0, 0, {}}, {1, 1, {}}};
  const auto healthy = SimulateMember(Step(v1::ALL_REDUCE), 0, members, 0, 1).value();
  members[1].faults.slow = 4;
  const auto slow = SimulateMember(Step(v1::ALL_REDUCE), 0, members, 0, 1).value();
  EXPECT_NEAR(slow.iteration_us(0) / healthy.iteration_us(0), 4, 0.01);
  members[0].node = 1;
  EXPECT_LT(SimulateMember(Step(v1::ALL_REDUCE), 0, members, 0, 1).value().iteration_us(0), healthy.iteration_us(0));
}

TEST(SimulatedGroup, CorruptingSender_IsNamedByTheElementsPlace) {
  std::vector<SimulatedMember> members = {{0, 0, {}}, {1, 1, {}}, {2, 2, {}}, {3, 3, {}}};
  members[2].faults.corrupt = 0.01;
  for (v1::Collective c : {v1::ALL_GATHER, v1::ALL_TO_ALL, v1::SEND_RECV, v1::RING_SEND_RECV}) {
    for (int64_t p = 0; p < 4; ++p) {
      const auto result = SimulateMember(Step(c), 0, members, p, 1).value();
      if (result.wrong_elements() == 0) continue;
      const Payload payload = Payload::Create(c, 4096, {0, 1, 2, 3}, p, 1).value();
      EXPECT_EQ(payload.SenderOf(result.first_wrong().index()), 2);
      EXPECT_NE(result.first_wrong().got(), result.first_wrong().want());
      EXPECT_NE(p, 2);
    }
    EXPECT_GT(SimulateMember(Step(c), 0, members, 3, 1).value().wrong_elements(), 0) << v1::Collective_Name(c);
  }
}

TEST(SimulatedGroup, WhatNoGroupCanRun_IsRefused) {
  const std::vector<SimulatedMember> members = {{0, 0, {}}, {1, 1, {}}};
  v1::TestStep step = Step(v1::ALL_REDUCE);
  step.set_iterations(INT32_MAX);
  EXPECT_FALSE(SimulateMember(step, 0, members, 0, 1).ok());
  step.set_iterations(1);
  step.set_bytes(-1);
  EXPECT_FALSE(SimulateMember(step, 0, members, 0, 1).ok());
  EXPECT_FALSE(SimulateMember(Step(v1::ALL_REDUCE), 0, {}, 0, 1).ok());
}

}  // namespace
}  // namespace muster::selftest
