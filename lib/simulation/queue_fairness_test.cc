// Who gets how much, and who waits how long, over random traces that keep the cluster full: shares by weight, quotas,
// and that ageing lets nothing starve.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/simulation/dice.h"
#include "lib/simulation/simulate.h"
#include "lib/simulation/spec.h"

namespace muster::simulation {
namespace {

TraceJob Job(std::string name, std::string ns, int nodes, absl::Duration run) {
  TraceJob job;
  job.name = std::move(name);
  job.ns = std::move(ns);
  job.nodes = nodes;
  job.run = run;
  return job;
}

// Mean nodes that each namespace has from `from` to `until`.
std::map<std::string, double> MeanNodes(const simulation::Setup& setup, const Result& result, absl::Duration from,
                                        absl::Duration until) {
  std::map<std::string, double> means;
  for (size_t i = 0; i < result.jobs.size(); ++i) {
    const absl::Duration part =
        std::min(until, result.jobs[i].ended) - std::max(from, std::min(until, result.jobs[i].started));
    if (part > absl::ZeroDuration())
      means[setup.jobs[i].ns] += setup.jobs[i].nodes * absl::FDivDuration(part, until - from);
  }
  return means;
}

// Everybody always has more to run than there is room for.
TEST(QueueFairness, NodesGoByWeight_WithinTheQuotas) {
  constexpr int kNodes = 24;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    Dice dice(seed);
    simulation::Setup setup;
    setup.cluster = *ClusterOfSpec(absl::StrCat("racks=3,nodes=", kNodes / 3), "nodes");
    setup.costs = placement::HopCosts::Default(2);
    setup.policy.ageing = absl::Hours(10'000);
    const int64_t count = 2 + dice.Below(2);
    const bool bounded = dice.Below(2) == 0;
    double weights = 0;
    for (int64_t n = 0; n < count; ++n) {
      const std::string ns = absl::StrCat("team-", n);
      setup.policy.shares[ns] = 1 + dice.Below(4);
      if (n > 0 || !bounded) weights += static_cast<double>(setup.policy.shares[ns]);
      for (int i = 0; i < 150; ++i)
        setup.jobs.push_back(Job(absl::StrCat(ns, "/", i), ns, 1, absl::Minutes(20 + dice.Below(20))));
    }
    // Too little for what its weight would give it, and then what is left goes to the others, by their weights.
    const int64_t quota = 1 + dice.Below(3);
    if (bounded) setup.policy.quotas = {{"team-0", quota}};
    const Result result = *Simulate(setup);
    std::map<std::string, absl::Duration> last_start;
    for (size_t i = 0; i < result.jobs.size(); ++i) {
      absl::Duration& last = last_start[setup.jobs[i].ns];
      last = std::max(last, result.jobs[i].started);
    }
    absl::Duration until = absl::InfiniteDuration();
    for (const auto& [ns, last] : last_start) until = std::min(until, last);
    const auto means = MeanNodes(setup, result, absl::Hours(1), until);
    double left = kNodes;
    if (bounded) {
      EXPECT_NEAR(means.at("team-0"), static_cast<double>(quota), 0.01) << "seed " << seed;
      left -= static_cast<double>(quota);
    }
    for (const auto& [ns, mean] : means) {
      if (bounded && ns == "team-0") continue;
      EXPECT_NEAR(mean, left * static_cast<double>(setup.policy.ShareOf(ns)) / weights, 1) << "seed " << seed << ns;
    }
  }
}

struct Stream {
  simulation::Setup setup;
  size_t wide = 0;      // the job that would starve
  absl::Duration turn;  // nobody who comes later can come before it
};

// Narrow jobs, more urgent than a wide one, that keep the cluster nearly full for long after it.
Stream MakeStream(uint64_t seed) {
  Dice dice(seed);
  Stream stream;
  simulation::Setup& setup = stream.setup;
  const int64_t racks = 1 + dice.Below(3), nodes = 2 + dice.Below(3), size = racks * nodes;
  setup.cluster = *ClusterOfSpec(absl::StrCat("racks=", racks, ",nodes=", nodes), "nodes");
  setup.costs = placement::HopCosts::Default(2);
  setup.policy.ageing = absl::Minutes(10 + dice.Below(100));
  setup.policy.reservations = static_cast<int32_t>(1 + dice.Below(4));
  setup.policy.preempt = dice.Below(3) == 0;
  const bool declared = dice.Below(2) == 0;
  absl::Duration at;
  for (int i = 0; i < 500; ++i) {
    const absl::Duration run = absl::Minutes(1 + dice.Below(30));
    TraceJob job = Job(absl::StrCat(i), absl::StrCat(dice.Below(2)), 1, run);
    job.priority = static_cast<int32_t>(1 + dice.Below(2));
    // Nine tenths of the cluster.
    at += absl::Minutes(15.5 / 0.9 / static_cast<double>(size)) * dice.Exponential();
    job.submit = at;
    if (declared) job.limit = job.run * (1 + dice.Share());
    if (i == 40) {
      stream.wide = setup.jobs.size();
      job.priority = 0;
      const bool rack = racks > 1 && dice.Below(2) == 0;
      job.nodes = static_cast<int32_t>(rack ? nodes : size);
      if (rack) job.required = "rack";
    }
    setup.jobs.push_back(job);
  }
  // Two points at most, and once more the ageing for a namespace that has less.
  stream.turn = setup.jobs[stream.wide].submit + 3 * setup.policy.ageing;
  return stream;
}

// From its turn on only those wait before it that came before, each of them at most as long as somebody holds nodes.
absl::Duration LatestStart(const Stream& stream, const Result& result) {
  int64_t before = 1;
  absl::Duration longest;
  for (size_t i = 0; i < result.jobs.size(); ++i) {
    const TraceJob& job = stream.setup.jobs[i];
    longest = std::max(longest, job.limit == absl::InfiniteDuration() ? job.run : job.limit);
    if (i != stream.wide && job.submit <= stream.turn && result.jobs[i].ended > stream.turn)
      before += 1 + result.jobs[i].preempted;
  }
  return stream.turn + before * (longest + kStop);
}

TEST(QueueFairness, NothingStarves) {
  int starved_without = 0, proved = 0;
  constexpr int kStreams = 24;
  for (uint64_t seed = 1; seed <= kStreams; ++seed) {
    Stream stream = MakeStream(seed);
    const Result result = *Simulate(stream.setup);
    const absl::Duration latest = LatestStart(stream, result);
    EXPECT_LE(result.jobs[stream.wide].started, latest) << "seed " << seed;
    // The stream must go on for longer than that, or it proves nothing.
    proved += latest < stream.setup.jobs.back().submit;
    // And it is reservations that do it.
    stream.setup.policy.reservations = 0;
    const Result without = *Simulate(stream.setup);
    starved_without += without.jobs[stream.wide].started > LatestStart(stream, without);
  }
  EXPECT_GT(proved, kStreams / 2);
  EXPECT_GT(starved_without, kStreams / 4);
}

}  // namespace
}  // namespace muster::simulation
