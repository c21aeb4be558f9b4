// How large an assignment is on the 256-GPU examples: under 1 KB a worker's, under 2 KB a member's, so that a burst of
// 16,384 answers stays small.

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/assignment/mesh_part.h"
#include "lib/gang/gang_harness.h"
#include "lib/job/mesh_of.h"
#include "lib/mesh/make_mesh.h"

namespace muster::gang {
namespace {

struct Row {
  const char* name;
  std::vector<std::pair<const char*, int64_t>> axes;
};

// 32 nodes of 8, with names, addresses and ids as long as they get in the field.
Harness Released(const Row& row, bool per_worker) {
  Harness h({.members = 32, .workers = 8});
  auto spec = std::make_shared<v1::JobSpec>(*h.gang.spec);
  spec->mutable_mesh()->set_dialect("megatron");
  for (const auto& [name, size] : row.axes) {
    auto* axis = spec->mutable_mesh()->add_axes();
    axis->set_name(name);
    axis->set_size(size);
  }
  h.gang.spec = spec;
  h.gang.uid = JobUid("job-0f3c7d2a9b1e4c58a6d0e3f7b2c49185");
  h.gang.ns = "research-foundation-models";
  h.gang.name = "llama-moe-256-2026-11-30-retry";
  const auto mesh_spec = MeshSpecOf(spec->mesh());
  EXPECT_TRUE(mesh_spec.ok()) << mesh_spec.status().ToString();
  const auto mesh = mesh::MakeMesh(*mesh_spec, 256);
  EXPECT_TRUE(mesh.ok()) << mesh.status().ToString();
  h.gang.mesh = [mesh = *mesh](v1::Assignment& assignment) { return FillMeshPart(*mesh, assignment); };

  auto placement = std::make_shared<v1::Placement>();
  for (int rank = 0; rank < 32; ++rank) {
    auto* placed = placement->add_ranks();
    placed->set_node(absl::StrCat("gpu-block-a-rack-07-node-", 100 + rank));
    placed->set_node_uid(placed->node());
    placed->set_pod_index(rank);
    placed->set_address("gpu-node.cluster.example.internal");
  }
  placement->set_digest(std::string(64, 'd'));
  Step(h.gang, PlacementFound{placement}, h.now);
  Step(h.gang, ReceiptFound{ReceiptId("rcp-7f3a91c2d4e5"), placement->digest()}, h.now);
  for (int index = 0; index < 32; ++index) {
    for (int local = 0; local < (per_worker ? 8 : 1); ++local) {
      MemberCalled call{.index = PodIndex(index), .incarnation = OnHost(1), .node = placement->ranks(index).node()};
      if (per_worker) call.local_rank = local;
      Step(h.gang, call, h.now);
    }
  }
  EXPECT_EQ(h.phase(), v1::RUNNING) << Describe(h.gang);
  return h;
}

TEST(AssignmentSize, Of256Workers_IsBounded) {
  const Row rows[] = {
      {"MoE", {{"tp", 4}, {"cp", 2}, {"pp", 4}, {"ep", 64}, {"etp", 1}}},
      {"rail-optimised", {{"tp", 8}, {"pp", 4}}},
  };
  for (const Row& row : rows) {
    size_t member = 0;
    size_t worker = 0;
    for (const bool per_worker : {false, true}) {
      const Harness h = Released(row, per_worker);
      for (const auto& [index, bound] : h.As<Running>().released->members) {
        member = std::max(member, bound.assignment.size());
        for (const auto& [local, own] : bound.workers) worker = std::max(worker, own.second.size());
      }
    }
    RecordProperty(absl::StrCat(row.name, "_member_bytes"), static_cast<int>(member));
    RecordProperty(absl::StrCat(row.name, "_worker_bytes"), static_cast<int>(worker));
    EXPECT_GT(member, 0u);
    EXPECT_GT(worker, 0u);
    EXPECT_LT(member, 2048u) << row.name;
    EXPECT_LT(worker, 1024u) << row.name;
  }
}

}  // namespace
}  // namespace muster::gang
