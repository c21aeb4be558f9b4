// Every instance is placed as well as the project promises: at most 1.02 × the best known cost, never above another
// scheduler, nothing more broken at equal cost, the impossible named rightly; and with real nodes, each once.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/benchmarks/placement/instance.h"
#include "tests/benchmarks/placement/solve.h"

namespace muster::placement {
namespace {

constexpr char kInstances[] = "tests/benchmarks/placement/instances";
constexpr double kMostAboveBest = 1.02;
constexpr double kMostMean = 1.002;

std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kInstances)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

Instance Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return ReadInstance(std::string(std::istreambuf_iterator<char>(file), {})).value();
}

TEST(PlacementQuality, EveryInstance_IsWithinTwoPercentOfTheBestKnown) {
  double log_sum = 0;
  int placed = 0;
  for (const std::filesystem::path& file : Files()) {
    const Instance instance = Read(file);
    SCOPED_TRACE(instance.name);
    const Answer answer = Solve(instance, SearchOptions());
    ASSERT_EQ(answer.feasible, instance.best.feasible);
    if (!answer.feasible) {
      EXPECT_EQ(answer.reason, instance.best.reason);
      continue;
    }
    const int64_t cost = answer.score.total();
    EXPECT_LE(static_cast<double>(cost), kMostAboveBest * static_cast<double>(instance.best.cost));
    EXPECT_GE(cost, instance.best.lower_bound);
    EXPECT_LE(answer.bound, instance.best.cost) << "a bound above what is known to be possible";
    if (cost == instance.best.cost) {
      EXPECT_LE(answer.score.frag, instance.best.frag);
    }
    for (const auto& [rule, theirs] : instance.baselines) EXPECT_LE(cost, theirs) << rule;
    std::set<NodeIndex> used(answer.units.begin(), answer.units.end());
    used.insert(answer.spares.begin(), answer.spares.end());
    EXPECT_EQ(used.size(), answer.units.size() + answer.spares.size());
    for (size_t unit = 0; unit < answer.units.size(); ++unit) {
      const bool stays = !instance.pinned.empty() && instance.pinned[unit].value() >= 0;
      if (stays) {
        EXPECT_EQ(answer.units[unit], instance.pinned[unit]);
      } else {
        EXPECT_TRUE(instance.cluster.Available(answer.units[unit]));
      }
    }
    log_sum += std::log(static_cast<double>(cost) / static_cast<double>(instance.best.cost));
    ++placed;
  }
  ASSERT_GT(placed, 50);
  EXPECT_LE(std::exp(log_sum / placed), kMostMean);
}

}  // namespace
}  // namespace muster::placement
