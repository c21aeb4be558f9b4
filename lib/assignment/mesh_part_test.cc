#include "lib/assignment/mesh_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/mesh/make_mesh.h"

namespace muster {
namespace {

using Ranks = std::vector<int64_t>;

// Every value of the digits, the first one fastest, added to `base`.
Ranks Expand(int64_t base, const google::protobuf::RepeatedField<int64_t>& strides,
             const google::protobuf::RepeatedField<int64_t>& sizes) {
  Ranks ranks = {base};
  for (int i = 0; i < sizes.size(); ++i) {
    Ranks next;
    for (int64_t digit = 0; digit < sizes[i]; ++digit)
      for (int64_t rank : ranks) next.push_back(rank + digit * strides[i]);
    ranks = std::move(next);
  }
  return ranks;
}

// The base of each group that a shape says, in their order of creation, by the contract's words alone: without outer
// digits every worker is in a group, and groups come by ascending base.
Ranks BasesOf(const v1::FamilyShape& shape, int64_t world) {
  if (!shape.outer_sizes().empty()) return Expand(shape.first(), shape.outer_strides(), shape.outer_sizes());
  Ranks bases;
  for (int64_t rank = 0; rank < world; ++rank) {
    bool first = true;
    for (int i = 0; i < shape.sizes_size(); ++i) first &= rank / shape.strides(i) % shape.sizes(i) == 0;
    if (first) bases.push_back(rank);
  }
  return bases;
}

// The groups' members, in the same order.
std::vector<Ranks> GroupsOf(const v1::FamilyShape& shape, int64_t world) {
  std::vector<Ranks> groups;
  for (int64_t base : BasesOf(shape, world)) {
    const Ranks members = Expand(base, shape.strides(), shape.sizes());
    if (shape.ring()) {
      for (size_t j = 0; j < members.size(); ++j) groups.push_back({members[j], members[(j + 1) % members.size()]});
    } else if (shape.block() > 0) {
      for (size_t from = 0; from < members.size(); from += shape.block())
        groups.emplace_back(members.begin() + from,
                            members.begin() + std::min<size_t>(members.size(), from + shape.block()));
    } else {
      groups.push_back(members);
    }
  }
  if (shape.ring()) std::sort(groups.begin(), groups.end());
  return groups;
}

struct Row {
  std::string name;
  mesh::MeshSpec spec;
  int64_t world;
};

std::vector<Row> Rows() {
  return {
      {"tp2_pp2_dp2", {.dialect = mesh::MegatronSpec{.tp = 2, .pp = 2}}, 8},
      {"tp4_cp2_pp2_dp4", {.dialect = mesh::MegatronSpec{.tp = 4, .cp = 2, .pp = 2}}, 64},
      {"experts", {.dialect = mesh::MegatronSpec{.tp = 2, .ep = 4, .pp = 2, .etp = 1}}, 32},
      {"distopt", {.dialect = mesh::MegatronSpec{.tp = 2, .pp = 2, .num_distopt = 2}}, 16},
      {"hybrid_cp", {.dialect = mesh::MegatronSpec{.cp = 4, .hybrid_cp = true}}, 16},
      {"torch", {.dialect = mesh::HybridShardSpec({.pp = 2, .dp_replicate = 2, .dp_shard = 2, .cp = 1, .tp = 2})}, 16},
      {"torch_permuted",
       {.dialect = mesh::TorchSpec{.dims = {{"dp", 2}, {"tp", 2}}, .ranks = {3, 1, 2, 0}, .flattened = {}}},
       4},
  };
}

v1::Assignment Bare(const mesh::Mesh& mesh, int32_t node_rank, int32_t workers) {
  v1::Assignment assignment;
  assignment.set_node_rank(node_rank);
  assignment.set_workers_per_member(workers);
  assignment.set_world(mesh.world());
  return assignment;
}

TEST(MeshPart, Shapes_SayTheMeshsGroupsInTheirOrder) {
  for (const Row& row : Rows()) {
    SCOPED_TRACE(row.name);
    const auto mesh = mesh::MakeMesh(row.spec, row.world);
    ASSERT_TRUE(mesh.ok()) << mesh.status();
    v1::Assignment assignment = Bare(**mesh, 1, 2);
    ASSERT_TRUE(FillMeshPart(**mesh, assignment).ok());
    EXPECT_LT(assignment.ByteSizeLong(), 1900u);
    int at = 0;
    for (const mesh::Family& family : (*mesh)->families()) {
      if (family.max_size() <= 1) continue;
      SCOPED_TRACE(std::string(family.name()));
      ASSERT_LT(at, assignment.families_size());
      const v1::FamilyShape& shape = assignment.families(at++);
      EXPECT_EQ(shape.name(), std::string(family.name()));
      if (shape.groups_size() > 0) {
        // Listed for this member's workers.
        ASSERT_EQ(shape.groups_size(), 2);
        for (int local = 0; local < 2; ++local) {
          const auto membership = family.GroupOf(2 + local);
          EXPECT_EQ(shape.groups(local).none(), !membership.has_value());
          if (!membership) continue;
          const v1::StridedGroup& group = shape.groups(local);
          const Ranks listed = group.members_size() > 0 ? Ranks(group.members().begin(), group.members().end())
                                                        : Expand(group.base(), group.strides(), group.sizes());
          EXPECT_EQ(listed, membership->group.Members());
        }
        continue;
      }
      const std::vector<Ranks> groups = GroupsOf(shape, row.world);
      ASSERT_EQ(static_cast<int64_t>(groups.size()), family.count());
      for (int64_t i = 0; i < family.count(); ++i) EXPECT_EQ(groups[i], family.group(i).Members());
    }
    EXPECT_EQ(at, assignment.families_size());
  }
}

TEST(MeshPart, Worker_HasItsCoordinatesOnTheSameAxes) {
  const auto mesh = mesh::MakeMesh({.dialect = mesh::MegatronSpec{.tp = 2, .ep = 4, .pp = 2, .etp = 1}}, 32);
  ASSERT_TRUE(mesh.ok());
  v1::Assignment assignment = Bare(**mesh, 5, 4);
  assignment.set_local_rank(3);
  ASSERT_TRUE(FillMeshPart(**mesh, assignment).ok());
  const auto rank_of = [](const auto& axes, const auto& coordinates) {
    EXPECT_EQ(axes.size(), coordinates.size());
    int64_t rank = 0;
    for (int i = 0; i < axes.size(); ++i) {
      EXPECT_LT(coordinates[i].index(), axes[i].size());
      rank += axes[i].stride() * coordinates[i].index();
    }
    return rank;
  };
  EXPECT_EQ(rank_of(assignment.dense_axes(), assignment.dense()), 23);
  EXPECT_EQ(rank_of(assignment.expert_axes(), assignment.expert()), 23);
}

// A mesh with every family that there is, and names as long as they get: a burst of 16,384 answers stays small.
TEST(MeshPart, WorkerOf16384_FitsIntoAKilobyte) {
  const auto mesh = mesh::MakeMesh(
      {.dialect = mesh::MegatronSpec{.tp = 8, .cp = 8, .ep = 32, .pp = 16, .etp = 2, .num_distopt = 2, .hcp = {2, 4}}},
      16'384);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  v1::Assignment assignment = Bare(**mesh, 2047, 8);
  assignment.set_format(1);
  assignment.set_job_uid("job-0f3c7d2a9b1e4c58");
  assignment.set_namespace_("research-foundation-models");
  assignment.set_job("llama-moe-16384-2026-11-30-retry");
  assignment.set_epoch(17);
  assignment.set_ranked_by(v1::Assignment::BY_TOPOLOGY);
  assignment.set_pod_index(2047);
  assignment.set_members(2048);
  assignment.set_node("gpu-block-a-rack-07-node-2147");
  assignment.set_leader_address("gpu-node.cluster.example.internal");
  assignment.set_leader_port(29'500);
  assignment.set_receipt_id("rcp-06617cb8efd7f55b3fdd");
  assignment.set_placement_digest(std::string(64, 'd'));
  assignment.set_world_ids(64);
  v1::MeshSpec& spec = *assignment.mutable_mesh();
  spec.set_dialect("megatron");
  for (const auto& [name, size] :
       std::vector<std::pair<std::string, int64_t>>{{"tp", 8}, {"cp", 8}, {"pp", 16}, {"ep", 32}, {"etp", 2}}) {
    v1::MeshSpec::Axis& axis = *spec.add_axes();
    axis.set_name(name);
    axis.set_size(size);
  }
  spec.mutable_megatron()->set_num_distributed_optimizer_instances(2);
  spec.mutable_megatron()->add_hierarchical_context_parallel_sizes(2);
  spec.mutable_megatron()->add_hierarchical_context_parallel_sizes(4);
  assignment.set_local_rank(7);
  ASSERT_TRUE(FillMeshPart(**mesh, assignment).ok());
  EXPECT_GE(assignment.families_size(), 22);
  RecordProperty("bytes", static_cast<int>(assignment.ByteSizeLong()));
  EXPECT_LT(assignment.ByteSizeLong(), 1024u);
}

TEST(MeshPart, MemberOutsideTheMesh_IsRefused) {
  const auto mesh = mesh::MakeMesh({.dialect = mesh::MegatronSpec{.tp = 2}}, 4);
  ASSERT_TRUE(mesh.ok());
  v1::Assignment assignment = Bare(**mesh, 2, 2);
  EXPECT_EQ(FillMeshPart(**mesh, assignment).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace muster
