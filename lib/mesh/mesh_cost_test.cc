// What a worker's questions cost: operations, not time, so that a loaded machine changes nothing.

#include <cstdlib>
#include <new>

#include "gtest/gtest.h"
#include "lib/mesh/make_mesh.h"

namespace {
int64_t allocations = 0;
int64_t allocated_bytes = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  allocated_bytes += static_cast<int64_t>(size);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace muster::mesh {
namespace {

struct Cost {
  int64_t allocations = 0;
  int64_t bytes = 0;
  int64_t digits = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
};

MegatronSpec MixtureOfExperts() {
  MegatronSpec spec = {.tp = 8, .cp = 2, .ep = 16, .pp = 8, .etp = 1};
  spec.num_distopt = 2;
  return spec;
}

Cost CostOfMaking(int64_t world) {
  const MeshSpec spec = {.dialect = MixtureOfExperts()};
  const Cost before = {allocations, allocated_bytes};
  const auto mesh = MakeMesh(spec, world);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return {allocations - before.allocations, allocated_bytes - before.bytes};
}

// All groups of one worker, over every family, and both coordinate tuples.
Cost CostOfAsking(int64_t world) {
  const auto mesh = MakeMesh({.dialect = MixtureOfExperts()}, world);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  const Cost before = {allocations, allocated_bytes};
  Cost cost;
  for (const Family& family : (*mesh)->families()) {
    const auto found = family.GroupOf(world * 2 / 3);
    if (!found) continue;
    cost.digits += static_cast<int64_t>(found->group.digits.size());
    EXPECT_LE(found->group.digits.size(), 4u) << family.name();
    EXPECT_EQ(found->group.IndexOf(world * 2 / 3), found->position) << family.name();
  }
  EXPECT_EQ((*mesh)->DenseCoordinates(world * 2 / 3).size(), 6u);
  EXPECT_EQ((*mesh)->ExpertCoordinates(world * 2 / 3).size(), 6u);
  cost.allocations = allocations - before.allocations;
  cost.bytes = allocated_bytes - before.bytes;
  return cost;
}

// A loop or a list over the ranks of 2^50 workers would neither end nor fit.
constexpr int64_t kThousand = 1 << 10;
constexpr int64_t kMillion = 1 << 20;
constexpr int64_t kBeyondAnyList = int64_t{1} << 50;

TEST(MeshCost, AskingForAllGroupsOfAWorker_DoesNotGrowWithTheWorld) {
  const Cost small = CostOfAsking(kThousand);
  EXPECT_EQ(CostOfAsking(kMillion), small);
  EXPECT_EQ(CostOfAsking(kBeyondAnyList), small);
  EXPECT_LT(small.allocations, 100);
}

TEST(MeshCost, MakingAMesh_DoesNotGrowWithTheWorld) {
  CostOfMaking(kThousand);  // one-time allocations of libraries
  const Cost small = CostOfMaking(kThousand);
  EXPECT_EQ(CostOfMaking(kMillion), small);
  EXPECT_EQ(CostOfMaking(kBeyondAnyList), small);
}

}  // namespace
}  // namespace muster::mesh
