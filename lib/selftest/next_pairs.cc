#include "lib/selftest/next_pairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::selftest {
namespace {

constexpr size_t kConfirmations = 3;
constexpr size_t kControls = 3;
constexpr size_t kMaxSteps = 16;
constexpr int kLinkTests = 4;

class Chooser {
 public:
  Chooser(const Fabric& fabric, const std::vector<PairResult>& results, const Diagnosis& diagnosis)
      : fabric_(fabric), diagnosis_(diagnosis), good_(diagnosis.good.begin(), diagnosis.good.end()) {
    std::map<PairTest, int> tests;
    for (const PairResult& r : results) ++tests[Ordered(r.a, r.b)];
    for (const auto& [pair, count] : tests) {
      met_.insert(pair);
      // Once, in the same round: it is cleared by that far more often than it is a link.
      const bool suspect = diagnosis.suspects.count(pair.a) > 0 && diagnosis.suspects.count(pair.b) > 0;
      if (suspect && count == 1) links_.emplace_back(pair, 1);
    }
    for (const PairTest& pair : diagnosis.open_links) links_.emplace_back(pair, std::max(1, kLinkTests - tests[pair]));
  }

  std::vector<PairStep> Run() {
    if (good_.empty() || !diagnosis_.Open()) return {};
    AmongNeighbours();
    for (size_t turn = 0; turn < kConfirmations; ++turn) {
      std::vector<int> waiting(diagnosis_.suspects.begin(), diagnosis_.suspects.end());
      // Fewer cleared nodes than suspects: in several steps.
      while (!waiting.empty() && steps_.size() < kMaxSteps) {
        const size_t before = waiting.size();
        Confirm(turn, waiting);
        if (waiting.size() == before) break;
      }
    }
    RepeatLinks();
    for (PairStep& step : steps_) AddControls(step);
    return std::move(steps_);
  }

 private:
  static PairTest Ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

  // Of the finest tier in which it shares a domain with anybody; -1: none.
  bool Neighbours(int a, int b) const {
    if (fabric_.domains.empty()) return false;
    const auto& ids = fabric_.domains.back();
    const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
    return x < ids.size() && y < ids.size() && ids[x] >= 0 && ids[x] == ids[y];
  }

  // Suspects whose domain has no cleared node meet each other: good there, the domain's border is the suspect.
  void AmongNeighbours() {
    PairStep step;
    std::set<int> used;
    for (int a : diagnosis_.suspects) {
      if (used.count(a) > 0) continue;
      if (std::any_of(good_.begin(), good_.end(), [&](int g) { return Neighbours(a, g); })) continue;
      for (int b : diagnosis_.suspects) {
        if (b <= a || used.count(b) > 0 || !Neighbours(a, b) || met_.count({a, b}) > 0) continue;
        step.push_back({a, b});
        met_.insert({a, b});
        used.insert({a, b});
        break;
      }
    }
    if (!step.empty()) steps_.push_back(std::move(step));
  }

  void Confirm(size_t turn, std::vector<int>& waiting) {
    PairStep step;
    std::set<int> used;
    std::vector<int> left;
    for (int suspect : waiting) {
      const int partner = PartnerOf(suspect, turn, used);
      if (partner < 0) {
        left.push_back(suspect);
        continue;
      }
      used.insert(partner);
      met_.insert(Ordered(suspect, partner));
      step.push_back(Ordered(suspect, partner));
    }
    waiting = std::move(left);
    if (!step.empty()) steps_.push_back(std::move(step));
  }

  // A cleared node not in `used`: one that it has not met before others, in the first turn a neighbour, later a
  // stranger.
  int PartnerOf(int suspect, size_t turn, const std::set<int>& used) const {
    int best = -1, best_score = -1;
    const size_t n = good_.size();
    // Each suspect begins elsewhere, so that few depend on one partner.
    const size_t start = (static_cast<size_t>(suspect) * 7 + turn * 3 + 1) % n;
    for (size_t k = 0; k < n; ++k) {
      const int g = good_[(start + k) % n];
      if (g == suspect || used.count(g) > 0) continue;
      const int score = 2 * (met_.count(Ordered(suspect, g)) == 0) + (Neighbours(suspect, g) == (turn == 0));
      if (score > best_score) best = g, best_score = score;
      if (best_score == 3) break;
    }
    return best;
  }

  void RepeatLinks() {
    for (auto& [link, tests] : links_) {
      for (size_t s = 0; tests > 0 && s < kMaxSteps; ++s) {
        if (s == steps_.size()) steps_.emplace_back();
        const std::set<int> used = Used(steps_[s]);
        if (used.count(link.a) > 0 || used.count(link.b) > 0) continue;
        steps_[s].push_back(link);
        --tests;
      }
    }
  }

  void AddControls(PairStep& step) const {
    const std::set<int> used = Used(step);
    std::vector<int> free;
    // Two ends a control; enough left over to avoid pairs that are in question.
    for (size_t i = 0; i < good_.size() && free.size() < 4 * kControls; ++i) {
      if (used.count(good_[i]) == 0) free.push_back(good_[i]);
    }
    size_t controls = 0;
    const size_t half = free.size() / 2;
    for (size_t i = 0; i < half && controls < kControls; ++i) {
      const PairTest pair = Ordered(free[i], free[i + half]);
      if (InQuestion(pair)) continue;
      step.push_back(pair);
      ++controls;
    }
    std::sort(step.begin(), step.end());
  }

  // Bad together before, or across a bad border: no measure of others.
  bool InQuestion(const PairTest& pair) const {
    const auto& d = diagnosis_;
    return std::any_of(links_.begin(), links_.end(), [&](const auto& l) { return l.first == pair; }) ||
           std::any_of(d.links.begin(), d.links.end(),
                       [&](const auto& l) {
                         return PairTest{l.a, l.b} == pair;
                       }) ||
           std::any_of(d.domains.begin(), d.domains.end(),
                       [&](const auto& b) { return b.nodes.count(pair.a) != b.nodes.count(pair.b); });
  }

  static std::set<int> Used(const PairStep& step) {
    std::set<int> used;
    for (const PairTest& p : step) used.insert({p.a, p.b});
    return used;
  }

  const Fabric& fabric_;
  const Diagnosis& diagnosis_;
  const std::vector<int> good_;
  std::set<PairTest> met_;
  std::vector<std::pair<PairTest, int>> links_;  // tests still to do
  std::vector<PairStep> steps_;
};

}  // namespace

std::vector<PairStep> NextPairs(const Fabric& fabric, const std::vector<PairResult>& results,
                                const Diagnosis& diagnosis) {
  return Chooser(fabric, results, diagnosis).Run();
}

}  // namespace muster::selftest
