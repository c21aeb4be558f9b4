// How placement grows: the same share of clusters of 500 to 12,500 nodes, all free and 40 % busy at random.
//
// Prints the median time of Place with the usual steps (of the process, one core), its ratio to the bound, the exponent
// of growth from the smallest cluster, peak memory, and what a snapshot after one node's change takes.

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/mesh/make_mesh.h"
#include "lib/placement/place.h"

namespace muster::placement {
namespace {

constexpr int kRuns = 9;

// Racks of 20 nodes, 5 in a block, 5 of those in a spine, 5 of those in a zone.
Cluster ClusterOf(int nodes, double busy) {
  std::mt19937 random(7);
  std::vector<v1::Node> made;
  for (int i = 0; i < nodes; ++i) {
    v1::Node node;
    node.mutable_info()->set_name("node-" + std::to_string(i));
    (*node.mutable_info()->mutable_capacity())["gpu"] = 8;
    auto& labels = *node.mutable_info()->mutable_labels();
    labels["zone"] = "z" + std::to_string(i / 2500);
    labels["spine"] = "s" + std::to_string(i / 500);
    labels["block"] = "b" + std::to_string(i / 100);
    labels["rack"] = "r" + std::to_string(i / 20);
    if (static_cast<double>(random() % 1000) < busy * 1000) node.set_use(v1::ASSIGNED);
    made.push_back(std::move(node));
  }
  return MakeCluster(Tiers::FromLabels({"zone", "spine", "block", "rack"}).value(), made).value();
}

// TP 8 in the node, PP 16, data parallel for the rest.
Request RequestFor(int units) {
  mesh::MegatronSpec spec;
  spec.tp = 8;
  spec.pp = 16;
  v1::JobSpec job;
  job.set_members(units);
  job.set_workers_per_member(8);
  return RequestOf("bench/scale", job,
                   mesh::MakeMesh({mesh::Compat::kCareful, spec}, static_cast<int64_t>(units) * 8).value())
      .value();
}

double CpuMs() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

long PeakMiB() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// One node moves to another rack, and back.
double UpdateMs(const Cluster& cluster) {
  std::shared_ptr<const Topology> topology = cluster.topology;
  std::vector<double> times;
  for (int run = 0; run < 2 * kRuns; ++run) {
    TopologyNode node = topology->node(NodeIndex(run * 37 % topology->size()));
    node.path.back() = run % 2 == 0 ? "r-other" : "r0";
    const double begin = CpuMs();
    topology = topology->With(std::move(node)).value();
    times.push_back(CpuMs() - begin);
  }
  std::sort(times.begin(), times.end());
  return times[kRuns];
}

void Run(double busy) {
  std::printf("%3.0f %% busy\n%8s %8s %10s %8s %9s %9s %15s\n", busy * 100, "nodes", "GPUs", "p50 ms", "/bound",
              "exponent", "peak MiB", "node change ms");
  double first = 0;
  int first_nodes = 0;
  for (const int nodes : {500, 1000, 2500, 5000, 12500}) {
    const Cluster cluster = ClusterOf(nodes, busy);
    const Request request = RequestFor(nodes * 2048 / 12500 / 16 * 16);
    std::vector<double> times;
    double ratio = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double begin = CpuMs();
      const Decision decision = Place(request, cluster);
      times.push_back(CpuMs() - begin);
      const Placed& placed = std::get<Placed>(decision);
      ratio = static_cast<double>(placed.score.total()) / static_cast<double>(placed.bound);
    }
    std::sort(times.begin(), times.end());
    const double p50 = times[kRuns / 2];
    std::printf("%8d %8d %10.1f %8.4f", nodes, request.units * 8, p50, ratio);
    if (first_nodes > 0) {
      std::printf(" %9.2f", std::log(p50 / first) / std::log(static_cast<double>(nodes) / first_nodes));
    } else {
      std::printf(" %9s", "");
      first = p50;
      first_nodes = nodes;
    }
    std::printf(" %9ld %15.2f\n", PeakMiB(), UpdateMs(cluster));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace muster::placement

int main() {
  muster::placement::Run(0);
  muster::placement::Run(0.4);
}
