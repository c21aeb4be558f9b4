// The plan of a job of 16,384 workers: how long it takes to make, and how large one agent's part of it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <vector>

#include "lib/base/proto_time.h"
#include "lib/selftest/fake_setting.h"
#include "lib/selftest/group_ranks.h"
#include "lib/selftest/plan.h"

namespace muster::selftest {
namespace {

struct Shape {
  const char* name;
  mesh::MegatronSpec spec;
};

TEST(LargePlan, For16384Workers_IsQuickAndSmallForEachAgent) {
  mesh::MegatronSpec dense;
  dense.tp = 8;
  dense.cp = 4;
  dense.pp = 16;
  mesh::MegatronSpec experts;
  experts.tp = 8;
  experts.pp = 16;
  experts.ep = 32;
  experts.etp = 1;
  for (const Shape& shape : {Shape{"tp8 cp4 pp16 dp32", dense}, Shape{"tp8 pp16 dp128, ep32", experts}}) {
    Setting setting = FakeSetting(shape.spec, 16384, 8);
    setting.spec.set_profile(v1::SelfTestSpec::STANDARD);
    const auto start = std::chrono::steady_clock::now();
    const v1::TestPlan plan = MakePlan(setting).value();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    size_t groups = 0, head = 0;
    std::map<int32_t, size_t> bytes;  // by node rank
    for (const v1::TestStep& step : plan.steps()) {
      v1::TestStep bare = step;
      bare.clear_groups();
      head += bare.ByteSizeLong() + 4;
      groups += static_cast<size_t>(step.groups_size());
      for (const v1::TestGroup& group : step.groups()) {
        const std::vector<int64_t> members = MembersOf(group.ranks()).value();
        std::map<int32_t, bool> touched;
        for (int64_t rank : members) touched[setting.NodeRankOf(rank)] = true;
        for (const auto& [node, yes] : touched) bytes[node] += group.ByteSizeLong() + 4;
      }
    }
    size_t most = 0;
    for (const auto& [node, size] : bytes) most = std::max(most, size + head);
    std::printf("%s: planned in %.0f ms, %d steps, %zu groups, %zu bytes; largest part of an agent %zu bytes\n",
                shape.name, took.count() * 1000, plan.steps_size(), groups, plan.ByteSizeLong(), most);
    EXPECT_EQ(bytes.size(), 2048u);
    EXPECT_LT(most, 32u << 10);
    // Unoptimised and on a busy machine; 1 s is meant.
    EXPECT_LT(took.count(), 5);
  }
}

}  // namespace
}  // namespace muster::selftest
