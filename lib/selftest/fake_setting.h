#pragma once
// Settings for tests: a Megatron mesh on nodes n0, n1, … with equal numbers of workers.

#include <memory>
#include <string>

#include "lib/mesh/make_mesh.h"
#include "lib/mesh/mesh_spec.h"
#include "lib/selftest/setting.h"

namespace muster::selftest {

inline std::shared_ptr<v1::Placement> FakePlacement(int64_t members) {
  auto placement = std::make_shared<v1::Placement>();
  placement->set_digest("digest");
  for (int64_t i = 0; i < members; ++i) {
    v1::PlacedNode* node = placement->add_ranks();
    node->set_node("n" + std::to_string(i));
    node->set_node_uid("uid-" + std::to_string(i));
  }
  return placement;
}

inline Setting FakeSettingWithoutMesh(int64_t world, int32_t workers_per_member) {
  Setting setting;
  setting.test = TestId{"test-1"};
  setting.world = world;
  setting.workers_per_member = workers_per_member;
  setting.placement = FakePlacement(world / workers_per_member);
  setting.spec.set_backend("simulated");
  setting.seed = 7;
  return setting;
}

inline Setting FakeSetting(const mesh::MegatronSpec& spec, int64_t world, int32_t workers_per_member) {
  Setting setting = FakeSettingWithoutMesh(world, workers_per_member);
  mesh::MeshSpec wanted;
  wanted.dialect = spec;
  setting.mesh = mesh::MakeMesh(wanted, world).value();
  return setting;
}

// TP2 × DP2 × PP2 on four nodes of two workers: tp in the node, dp with one neighbour, pp with another.
inline Setting DemoSetting() {
  mesh::MegatronSpec spec;
  spec.tp = 2;
  spec.pp = 2;
  return FakeSetting(spec, 8, 2);
}

}  // namespace muster::selftest
