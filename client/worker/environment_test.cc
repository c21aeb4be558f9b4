#include "client/worker/environment.h"

#include <gtest/gtest.h>

namespace muster::worker {
namespace {

// Node rank 5 of 8 in TP4 CP2 DP4 PP2.
v1::Assignment Seed64() {
  v1::Assignment a;
  a.set_job_uid("job-1");
  a.set_namespace_("team-a");
  a.set_job("llama");
  a.set_epoch(3);
  a.set_attempt(1);
  a.set_pod_index(2);
  a.set_node_rank(5);
  a.set_members(8);
  a.set_workers_per_member(8);
  a.set_world(64);
  a.set_leader_address("10.0.3.11");
  a.set_leader_port(29500);
  a.set_receipt_id("rcp-7f3a");
  const std::tuple<const char*, int64_t, int64_t> axes[] = {{"tp", 1, 4}, {"cp", 4, 2}, {"dp", 8, 4}, {"pp", 32, 2}};
  for (const auto& [name, stride, size] : axes) {
    v1::AxisShape* axis = a.add_dense_axes();
    axis->set_axis(name);
    axis->set_stride(stride);
    axis->set_size(size);
    v1::FamilyShape* family = a.add_families();
    family->set_name(name);
    family->add_strides(stride);
    family->add_sizes(size);
  }
  return a;
}

TEST(WorkerEnvironment, HasTheNamesThatFrameworksRead) {
  const Environment env = WorkerEnvironment(Seed64(), 5, {"127.0.0.1:7070"});
  const Environment want = {
      {"RANK", "45"},
      {"LOCAL_RANK", "5"},
      {"WORLD_SIZE", "64"},
      {"LOCAL_WORLD_SIZE", "8"},
      {"GROUP_RANK", "5"},
      {"NODE_RANK", "5"},
      {"MASTER_PORT", "29500"},
      {"MASTER_ADDR", "10.0.3.11"},
      {"PET_NNODES", "8"},
      {"PET_NPROC_PER_NODE", "8"},
      {"PET_NODE_RANK", "5"},
      {"PET_MASTER_ADDR", "10.0.3.11"},
      {"PET_MASTER_PORT", "29500"},
      {"JAX_PROCESS_ID", "45"},
      {"JAX_NUM_PROCESSES", "64"},
      {"JAX_COORDINATOR_ADDRESS", "10.0.3.11:29500"},
      {"MUSTER_EPOCH", "3"},
      {"MUSTER_JOB", "team-a/llama"},
      {"MUSTER_SERVER", "127.0.0.1:7070"},
      {"MUSTER_RECEIPT", "rcp-7f3a"},
      {"MUSTER_COORDINATES", R"({"tp":1,"cp":1,"dp":1,"pp":1})"},
  };
  for (const auto& [key, value] : want) {
    ASSERT_TRUE(env.contains(key)) << key;
    EXPECT_EQ(env.at(key), value) << key;
  }
  EXPECT_EQ(env.at("MUSTER_GROUPS"),
            R"({"tp":{"rank":1,"size":4,"members":[44,45,46,47]},"cp":{"rank":1,"size":2,"members":[41,45]},)"
            R"("dp":{"rank":1,"size":4,"members":[37,45,53,61]},"pp":{"rank":1,"size":2,"members":[13,45]}})");
  EXPECT_FALSE(env.contains("MUSTER_EXPERT_COORDINATES"));
}

TEST(WorkerEnvironment, Experts_HaveCoordinatesOfTheirOwn) {
  v1::Assignment a = Seed64();
  v1::AxisShape* ep = a.add_expert_axes();
  ep->set_axis("ep");
  ep->set_stride(1);
  ep->set_size(32);
  EXPECT_EQ(WorkerEnvironment(a, 5, {}).at("MUSTER_EXPERT_COORDINATES"), R"({"ep":13})");
}

TEST(MemberEnvironment, LeavesWorkersToTheLauncher) {
  const Environment env = MemberEnvironment(Seed64(), {"127.0.0.1:7070"});
  EXPECT_FALSE(env.contains("RANK"));
  EXPECT_FALSE(env.contains("LOCAL_RANK"));
  EXPECT_EQ(env.at("PET_NODE_RANK"), "5");
  EXPECT_EQ(env.at("JAX_PROCESS_ID"), "5");
  EXPECT_EQ(env.at("JAX_NUM_PROCESSES"), "8");
}

}  // namespace
}  // namespace muster::worker
