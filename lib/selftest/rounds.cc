#include "lib/selftest/rounds.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/base/proto_time.h"
#include "lib/selftest/conclude.h"
#include "lib/selftest/confirming_plan.h"
#include "lib/selftest/inside.h"
#include "lib/selftest/matchings.h"
#include "lib/selftest/merge.h"
#include "lib/selftest/next_pairs.h"
#include "lib/selftest/node_groups.h"
#include "lib/selftest/pair_evidence.h"
#include "lib/selftest/plan.h"
#include "lib/selftest/schedule.h"

namespace muster::selftest {
namespace {

// More matchings of all nodes, where those of round 1 cleared nobody or found nothing.
constexpr int kMatchings = 3;
// Accused nodes whose rails are tested one at a time, and how many rails.
constexpr size_t kSplitNodes = 8;
constexpr int kSplitRails = 16;

class Sequel {
 public:
  Sequel(const Setting& setting, absl::Span<const Round> rounds)
      : setting_(setting), rounds_(rounds), parties_(setting), first_(Judge(setting, parties_, rounds[0])) {
    pairs_ = ReadPairs(setting, parties_, rounds, first_);
    merged_ = Merge(setting, parties_, rounds, first_);
    results_ = ResultsOf(parties_, pairs_);
    diagnosis_ = Diagnose(parties_.fabric(), results_);
    inside_ = SlowInside(parties_, merged_);
  }

  v1::TestPlan Next() {
    v1::TestPlan plan = NewPlan();
    if (rounds_.size() >= kMaxTestRounds || HasOwnFault(rounds_)) return plan;
    if (rounds_.size() == 1) {
      plan = ConfirmingPlan(setting_, rounds_[0].plan, first_, plan.round());
    } else if (rounds_.size() == 2 && !diagnosis_.Found() && Unexplained()) {
      plan = ConfirmingPlan(setting_, rounds_[0].plan, StillBad(), plan.round());
    }
    AddPairs(plan);
    if (rounds_.size() > 1 && !inside_.empty() && !Ran(kInsideFamily)) {
      AddInsideSteps(setting_, parties_, inside_, diagnosis_.good, plan);
    }
    if (!diagnosis_.culprits.empty() && !Ran(kRailAloneFamily) && (plan.steps().empty() || !diagnosis_.Open())) {
      AddRailsAlone(plan);
    }
    Schedule(plan);
    *plan.mutable_estimate() = ToProto(EstimateOf(plan, parties_.fabric().rails));
    return plan;
  }

  Conclusion Conclude() {
    Findings findings{parties_, merged_, pairs_, diagnosis_, ReadInside(setting_, parties_, rounds_, inside_)};
    return ConclusionOf(setting_, rounds_, findings);
  }

 private:
  v1::TestPlan NewPlan() const {
    v1::TestPlan plan = rounds_[0].plan;
    plan.clear_steps();
    plan.set_round(static_cast<int32_t>(rounds_.size()) + 1);
    return plan;
  }

  bool Ran(const std::string& family) const {
    return std::any_of(rounds_.begin(), rounds_.end(), [&](const Round& round) {
      const auto& steps = round.plan.steps();
      return std::any_of(steps.begin(), steps.end(), [&](const auto& s) { return s.family() == family; });
    });
  }

  // A group that is still bad though it ran again. (What is only missing would take its whole deadline once more.)
  bool Unexplained() const {
    return std::any_of(merged_.begin(), merged_.end(), [](const auto& entry) {
      return entry.first.first.family != kPairFamily && entry.second.result.verdict() == v1::FAIL;
    });
  }

  // Round 1 without what has been good since.
  Judged StillBad() const {
    Judged still = first_;
    for (auto& [key, group] : still) {
      if (IsSuspect(group) && !IsSuspect(merged_.at(key)))
        group.result.set_verdict(v1::SKIPPED), group.doubtful = false;
    }
    return still;
  }

  void AddPairs(v1::TestPlan& plan) const {
    const std::vector<PairStep> steps = NextPairs(parties_.fabric(), results_, diagnosis_);
    for (const PairStep& step : steps) AddPairStep(setting_, kPairFamily, PairGroups(parties_, step), plan);
    if (!steps.empty() || diagnosis_.Found()) return;
    // No node is cleared, or the pairs show nothing of what is wrong.
    if (!diagnosis_.Open() && (rounds_.size() == 1 || !Unexplained())) return;
    AddPairStep(setting_, kPairFamily, PairGroups(parties_, NextMatching()), plan);
  }

  // The first matching of which some pair has not met yet; empty after kMatchings.
  PairStep NextMatching() const {
    std::set<PairTest> met;
    for (const PairResult& r : results_) met.insert({r.a, r.b});
    for (int k = 0; k < std::min(kMatchings, Matchings(parties_.size())); ++k) {
      PairStep pairs;
      for (const auto& [a, b] : Matching(parties_.size(), k)) pairs.push_back({a, b});
      if (!std::all_of(pairs.begin(), pairs.end(), [&](const PairTest& p) { return met.count(p) > 0; })) return pairs;
    }
    return {};
  }

  // Each accused node with one that was good with others, one rail after another, beside a good pair as the measure.
  void AddRailsAlone(v1::TestPlan& plan) const {
    PairStep pairs;
    std::set<int> used;
    for (const auto& culprit : diagnosis_.culprits) used.insert(culprit.node);
    for (const auto& culprit : diagnosis_.culprits) {
      if (pairs.size() == kSplitNodes || parties_[culprit.node].workers.size() < 2) continue;
      for (int partner : culprit.partners) {
        if (!used.insert(partner).second) continue;
        pairs.push_back({std::min(culprit.node, partner), std::max(culprit.node, partner)});
        break;
      }
    }
    if (pairs.empty()) return;
    std::vector<int> free;
    for (int node : diagnosis_.good) {
      if (used.count(node) == 0) free.push_back(node);
    }
    for (size_t i = 0; i + 1 < free.size() && i < 6; i += 2) pairs.push_back({free[i], free[i + 1]});
    for (int rail = 0; rail < std::min(parties_.fabric().rails, kSplitRails); ++rail) {
      AddPairStep(setting_, kRailAloneFamily, PairGroups(parties_, pairs, rail), plan);
    }
  }

  const Setting& setting_;
  const absl::Span<const Round> rounds_;
  const Parties parties_;
  const Judged first_;
  std::vector<PairEvidence> pairs_;
  Judged merged_;
  std::vector<PairResult> results_;
  Diagnosis diagnosis_;
  std::set<int> inside_;
};

}  // namespace

std::variant<v1::TestPlan, Conclusion> NextRound(const Setting& setting, absl::Span<const Round> rounds) {
  if (rounds.empty()) {
    Conclusion nothing;
    nothing.summary = "no round has run";
    return nothing;
  }
  Sequel sequel(setting, rounds);
  v1::TestPlan next = sequel.Next();
  if (next.steps().empty()) return sequel.Conclude();
  return next;
}

}  // namespace muster::selftest
