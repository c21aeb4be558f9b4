#include "lib/selftest/confirming_plan.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/selftest/node_groups.h"

namespace muster::selftest {
namespace {

constexpr size_t kReferences = 3;
constexpr int kMaxSteps = 64;

class Confirmer {
 public:
  Confirmer(const Setting& setting, const v1::TestPlan& first, const Judged& judged, int32_t round)
      : setting_(setting), first_(first), judged_(judged), round_(round) {}

  v1::TestPlan Make(bool alone) const {
    v1::TestPlan plan = first_;
    plan.clear_steps();
    plan.set_round(round_);
    for (const v1::TestStep& step : first_.steps()) AddSteps(step, alone, plan);
    return plan;
  }

 private:
  const JudgedGroup* Find(const v1::TestStep& step, int64_t index) const {
    const auto at = judged_.find({SiblingKey{step.family(), step.collective(), step.bytes()}, index});
    return at == judged_.end() ? nullptr : &at->second;
  }

  // Members may share a node, so node ranks are not enough to tell who is alone.
  std::set<std::string> NodesOf(const v1::GroupResult& result) const {
    std::set<std::string> nodes;
    for (int32_t rank : result.node_ranks()) {
      const bool known = setting_.placement != nullptr && rank >= 0 && rank < setting_.placement->ranks_size();
      nodes.insert(known ? setting_.placement->ranks(rank).node_uid() : std::to_string(rank));
    }
    return nodes;
  }

  void AddSteps(const v1::TestStep& step, bool alone, v1::TestPlan& plan) const {
    std::vector<const v1::TestGroup*> chosen;
    size_t references = 0, suspects = 0;
    for (const v1::TestGroup& group : step.groups()) {
      const JudgedGroup* judged = Find(step, group.index());
      if (judged == nullptr) continue;
      // Pairs that were bad are confirmed with other partners (next_pairs.h); those without a result run again here.
      if (step.family() == kPairFamily && judged->result.verdict() == v1::FAIL) continue;
      const bool suspect = IsSuspect(*judged);
      suspects += suspect;
      if (suspect || (judged->result.verdict() == v1::PASS && references++ < kReferences)) chosen.push_back(&group);
    }
    if (suspects == 0) return;
    std::vector<std::pair<v1::TestStep, std::set<std::string>>> steps;
    for (const v1::TestGroup* group : chosen) {
      const std::set<std::string> nodes = NodesOf(Find(step, group->index())->result);
      const auto free = [&](const auto& s) {
        return !alone || std::none_of(nodes.begin(), nodes.end(), [&](const auto& n) { return s.second.count(n) > 0; });
      };
      auto at = std::find_if(steps.begin(), steps.end(), free);
      if (at == steps.end()) {
        // Colouring more than the plan may hold is only wasted time: Make(false) follows.
        if (plan.steps_size() + static_cast<int>(steps.size()) > kMaxSteps) return Overflow(plan);
        v1::TestStep next = step;
        next.clear_groups();
        at = steps.insert(steps.end(), {std::move(next), {}});
      }
      *at->first.add_groups() = *group;
      at->second.insert(nodes.begin(), nodes.end());
    }
    for (auto& [next, nodes] : steps) {
      next.set_index(plan.steps_size());
      *plan.add_steps() = std::move(next);
    }
  }

  static void Overflow(v1::TestPlan& plan) {
    while (plan.steps_size() <= kMaxSteps) plan.add_steps();
  }

  const Setting& setting_;
  const v1::TestPlan& first_;
  const Judged& judged_;
  const int32_t round_;
};

}  // namespace

v1::TestPlan ConfirmingPlan(const Setting& setting, const v1::TestPlan& first, const Judged& judged, int32_t round) {
  const Confirmer confirmer(setting, first, judged, round);
  v1::TestPlan plan = confirmer.Make(/*alone=*/true);
  if (plan.steps_size() > kMaxSteps) plan = confirmer.Make(/*alone=*/false);
  return plan;
}

}  // namespace muster::selftest
