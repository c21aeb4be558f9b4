// Snapshots of a large cluster: bazel run -c opt //lib/topology:topology_benchmark
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "lib/topology/topology.h"

namespace muster {
namespace {

// Racks of 16, blocks of 16 racks.
TopologyNode NodeAt(int64_t i) {
  return {"node-" + std::to_string(i), {"block-" + std::to_string(i / 256), "rack-" + std::to_string(i / 16)}};
}

std::shared_ptr<const Topology> Cluster(int64_t size) {
  std::vector<TopologyNode> nodes;
  for (int64_t i = 0; i < size; ++i) nodes.push_back(NodeAt(i));
  return *Topology::Create(*Tiers::FromLabels({"block", "rack"}), std::move(nodes));
}

void BM_Create(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Cluster(state.range(0)));
}
BENCHMARK(BM_Create)->Arg(500)->Arg(12500)->Unit(benchmark::kMillisecond);

// A node's labels change: it moves to another rack.
void BM_UpdateOneNode(benchmark::State& state) {
  std::shared_ptr<const Topology> topology = Cluster(state.range(0));
  int64_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % state.range(0);
    TopologyNode moved = NodeAt((at + state.range(0) / 2) % state.range(0));
    moved.name = NodeAt(at).name;
    topology = *topology->With(std::move(moved));
  }
}
BENCHMARK(BM_UpdateOneNode)->Arg(500)->Arg(12500)->Unit(benchmark::kMillisecond);

void BM_RemoveAndAddOneNode(benchmark::State& state) {
  std::shared_ptr<const Topology> topology = Cluster(state.range(0));
  int64_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % state.range(0);
    topology = topology->Without(NodeAt(at).name);
    topology = *topology->With(NodeAt(at));
  }
}
BENCHMARK(BM_RemoveAndAddOneNode)->Arg(12500)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster
