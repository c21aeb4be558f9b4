// All groups and coordinates of one worker of a large job: bazel run -c opt //lib/mesh:mesh_benchmark
#include "benchmark/benchmark.h"
#include "lib/mesh/make_mesh.h"

namespace muster::mesh {
namespace {

MegatronSpec MixtureOfExperts() { return {.tp = 8, .cp = 2, .ep = 16, .pp = 8, .etp = 1}; }

// The ratio `digits_over_members` is the work of the arithmetic against that of listing the same groups.
void BM_AllGroupsOfOneWorker(benchmark::State& state) {
  const int64_t world = state.range(0);
  const auto mesh = MakeMesh({.dialect = MixtureOfExperts()}, world);
  if (!mesh.ok()) return state.SkipWithError(std::string(mesh.status().message()).c_str());
  GlobalRank rank = 0;
  double digits = 0, members = 0;
  for (auto _ : state) {
    rank = (rank + 7919) % world;
    for (const Family& family : (*mesh)->families()) {
      const auto found = family.GroupOf(rank);
      if (!found) continue;
      digits += static_cast<double>(found->group.digits.size());
      members += static_cast<double>(found->group.size());
    }
    benchmark::DoNotOptimize((*mesh)->DenseCoordinates(rank));
    benchmark::DoNotOptimize((*mesh)->ExpertCoordinates(rank));
  }
  state.counters["families"] = static_cast<double>((*mesh)->families().size());
  state.counters["digits_over_members"] = digits / members;
}
BENCHMARK(BM_AllGroupsOfOneWorker)->Arg(1 << 10)->Arg(1 << 20)->Arg(int64_t{1} << 40)->Unit(benchmark::kMicrosecond);

void BM_MakeMesh(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(MakeMesh({.dialect = MixtureOfExperts()}, state.range(0)));
}
BENCHMARK(BM_MakeMesh)->Arg(1 << 10)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

// The same worker's groups by listing their members, as the frameworks do.
void BM_ListAllGroupsOfOneWorker(benchmark::State& state) {
  const auto mesh = MakeMesh({.dialect = MixtureOfExperts()}, state.range(0));
  if (!mesh.ok()) return state.SkipWithError(std::string(mesh.status().message()).c_str());
  for (auto _ : state) {
    for (const Family& family : (*mesh)->families()) {
      if (const auto found = family.GroupOf(7919)) benchmark::DoNotOptimize(found->group.Members());
    }
  }
}
BENCHMARK(BM_ListAllGroupsOfOneWorker)->Arg(1 << 10)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace muster::mesh
