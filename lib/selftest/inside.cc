#include "lib/selftest/inside.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/selftest/matchings.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/pair_gate.h"
#include "lib/selftest/plan.h"
#include "lib/selftest/spec_defaults.h"

namespace muster::selftest {
namespace {

constexpr int kMaxMatchings = 16;
constexpr size_t kMaxNodes = 16;
constexpr size_t kControls = 2;
constexpr size_t kLines = 6;

struct Pair {
  int node = 0, a = 0, b = 0;
  double gbps = 0;
  bool bad = false;
};

}  // namespace

std::set<int> SlowInside(const Parties& parties, const Judged& merged) {
  std::set<int> nodes;
  for (const auto& [key, group] : merged) {
    if (!group.slow || group.span != 0 || group.result.verdict() != v1::FAIL) continue;
    for (int party : parties.OfNodeRanks(group.result.node_ranks())) nodes.insert(party);
  }
  return nodes;
}

void AddInsideSteps(const Setting& setting, const Parties& parties, const std::set<int>& nodes,
                    const std::set<int>& controls, v1::TestPlan& plan) {
  std::vector<int> tested;
  size_t beside = 0;
  for (int node : nodes) {
    if (tested.size() < kMaxNodes) tested.push_back(node);
  }
  for (int node : controls) {
    if (nodes.count(node) == 0 && beside++ < kControls) tested.push_back(node);
  }
  int matchings = 0;
  for (int node : tested) matchings = std::max(matchings, Matchings(static_cast<int>(parties[node].workers.size())));
  for (int round = 0; round < std::min(matchings, kMaxMatchings); ++round) {
    std::vector<v1::TestGroup> groups;
    for (int node : tested) {
      for (v1::TestGroup& group : InsideGroups(parties, node, round)) groups.push_back(std::move(group));
    }
    std::sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.index() < y.index(); });
    AddPairStep(setting, kInsideFamily, groups, plan);
  }
}

std::map<int, InsideFinding> ReadInside(const Setting& setting, const Parties& parties, absl::Span<const Round> rounds,
                                        const std::set<int>& nodes) {
  std::vector<Pair> pairs;
  std::vector<double> controls, all;
  for (const Round& round : rounds) {
    for (const JudgedGroup& group : ReadRound(setting, parties, round)) {
      const PairOf pair = PairOfResult(parties, group.result);
      if (group.result.family() != kInsideFamily || pair.a < 0 || group.result.ranks_head_size() != 2) continue;
      if (!group.result.measured()) continue;
      const double gbps = group.result.busbw_gbps();
      pairs.push_back({pair.a, pair.rail, parties.RailOf(group.result.ranks_head(1)), gbps, false});
      all.push_back(gbps);
      if (nodes.count(pair.a) == 0) controls.push_back(gbps);
    }
  }
  const double reference = controls.empty() ? ScreenReference(all) : MedianOf(controls);
  std::map<int, std::map<int, int>> tests, bad;  // node -> worker -> pairs
  std::map<int, InsideFinding> findings;
  for (Pair& pair : pairs) {
    if (nodes.count(pair.node) == 0) continue;
    pair.bad = pair.gbps < MinSiblingRatioOf(setting.spec) * reference;
    InsideFinding& finding = findings[pair.node];
    ++finding.pairs;
    for (int worker : {pair.a, pair.b}) {
      ++tests[pair.node][worker];
      bad[pair.node][worker] += pair.bad;
    }
    if (!pair.bad || finding.lines.size() >= kLines) continue;
    finding.lines.push_back(absl::StrFormat("%s accelerators %d ↔ %d: %.3g GB/s, %.2f of %.3g", parties[pair.node].name,
                                            pair.a, pair.b, pair.gbps, pair.gbps / reference, reference));
  }
  for (auto& [node, finding] : findings) {
    for (const auto& [worker, count] : tests[node]) {
      if (bad[node][worker] == count) finding.rails.insert(worker);
    }
  }
  return findings;
}

}  // namespace muster::selftest
