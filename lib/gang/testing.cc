// Testing: agents run the plan round by round; a verdict and the end of every child lead on.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/errors.h"
#include "lib/gang/demands.h"
#include "lib/gang/moves.h"

namespace muster::gang {
namespace {

absl::Duration DeadlineOf(const Turn& turn, const v1::TestPlan& plan) {
  const auto given = absl::Seconds(plan.deadline().seconds()) + absl::Nanoseconds(plan.deadline().nanos());
  const bool usable = given > absl::ZeroDuration() && given < absl::Hours(24 * 366);
  return (usable ? given : turn.limits.test_deadline) + turn.limits.report_slack;
}

void StartRound(Turn& turn, PlacementPtr placement, const TestPlanned& event) {
  Gang& gang = turn.gang;
  for (const Seats::Node& node : gang.seats->nodes()) gang.marked.insert(node.uid);
  const OrderNumber ordered = turn.NextOrder();
  gang.state = Testing{.placement = std::move(placement),
                       .test = event.test,
                       .plan = event.plan,
                       .ordered = ordered,
                       .ended = {},
                       .passed = false,
                       .deadline = turn.now + DeadlineOf(turn, *event.plan)};
  const int32_t round = event.plan->round();
  turn.Moved(absl::StrCat("the self-test runs on ", gang.seats->nodes().size(),
                          gang.seats->nodes().size() == 1 ? " node" : " nodes",
                          round == 1 ? "" : absl::StrCat(", round ", round)));
}

// A test-only job ends with its verdict. False: the job is of another kind and goes on.
bool EndsTestOnly(Turn& turn, v1::Result result, const std::string& why) {
  if (LaunchOf(turn.gang) != v1::LaunchSpec::TEST_ONLY) return false;
  BeginStopping(turn, Next::kFinished, why, result);
  return true;
}

void Passed(Turn& turn, Testing& testing, const TestConcluded& event) {
  // A pass without a receipt is no pass (never released for less): the deadline decides.
  if (event.receipt.value().empty()) return;
  Gang& gang = turn.gang;
  testing.passed = true;
  gang.receipt = event.receipt;
  gang.receipt_digest = testing.placement->digest();
  gang.why = "the self-test passed; its processes are being ended";
  turn.Durable();
  Settle(turn);
}

void Accused(Turn& turn, const std::set<NodeUid>& accused, const TestConcluded& event) {
  Gang& gang = turn.gang;
  std::vector<std::string> names;
  for (const NodeUid& node : accused) {
    names.push_back(gang.seats->FindUid(node)->name);
    gang.facts.shunned.insert(node);
    turn.change.quarantines.push_back({.node = node, .reason = event.why, .without_expiry = false});
  }
  turn.Durable();
  const std::string why = absl::StrCat("the self-test accused ", FewNames(names), ": ", event.why);
  if (EndsTestOnly(turn, v1::FAILED, why)) return;
  if (SourceOf(gang) == v1::PlacementSpec::KUEUE) return TryAgain(turn, Next::kRequeue, why);
  if (!CountTry(turn)) {
    return BeginStopping(turn, Next::kFinished,
                         absl::StrCat(why, "; all ", turn.limits.max_tries, " tries are used up"), v1::FAILED);
  }
  BeginRepair(turn, accused, why);
}

}  // namespace

void On(Turn& turn, const TestPlanned& event) {
  Gang& gang = turn.gang;
  if (event.plan == nullptr || event.test.value().empty()) return;
  const v1::TestPlan& plan = *event.plan;
  if (auto* testing = std::get_if<Testing>(&gang.state)) {
    const bool next = event.test == testing->test && plan.round() == testing->plan->round() + 1 &&
                      plan.round() <= kMaxRounds && plan.placement_digest() == testing->placement->digest();
    if (next && !testing->passed) StartRound(turn, testing->placement, event);
    return;
  }
  if (!WantsTestPlan(gang) || plan.round() != 1) return;
  PlacementPtr placement = PlacementOf(gang.state);
  if (plan.placement_digest() != placement->digest()) return;
  StartRound(turn, std::move(placement), event);
}

void On(Turn& turn, const ReceiptFound& event) {
  Gang& gang = turn.gang;
  const PlacementPtr placement = PlacementOf(gang.state);
  if (placement == nullptr || event.receipt.value().empty() || event.digest != placement->digest()) return;
  if (gang.waived && std::holds_alternative<Assembling>(gang.state) && gang.receipt.value().empty()) {
    // The receipt that says that the test was waived.
    gang.receipt = event.receipt;
    gang.receipt_digest = event.digest;
    return turn.Durable();
  }
  if (!WantsTestPlan(gang)) return;
  gang.receipt = event.receipt;
  gang.receipt_digest = event.digest;
  EnterAssembling(turn, absl::StrCat("receipt ", event.receipt.value(), " is still valid"));
}

void On(Turn& turn, const TestConcluded& event) {
  auto* testing = std::get_if<Testing>(&turn.gang.state);
  if (testing == nullptr || event.test != testing->test || testing->passed) return;
  using Outcome = TestConcluded::Outcome;
  std::set<NodeUid> accused;
  if (event.outcome == Outcome::kAccused) {
    for (const NodeUid& node : event.accused) {
      if (turn.gang.seats->FindUid(node) != nullptr) accused.insert(node);
    }
  }
  if (event.outcome == Outcome::kPassed) return Passed(turn, *testing, event);
  if (!accused.empty()) return Accused(turn, accused, event);
  if (event.outcome == Outcome::kConfig || event.outcome == Outcome::kInternal) {
    const char* fault = event.outcome == Outcome::kConfig ? "the job's own fault: " : "an internal fault: ";
    return BeginStopping(turn, Next::kFinished, absl::StrCat("the self-test failed by ", fault, event.why), v1::FAILED);
  }
  const std::string why = absl::StrCat("the self-test was inconclusive: ", event.why);
  if (!EndsTestOnly(turn, v1::FAILED, why)) TryAgain(turn, Next::kPlaced, why);
}

}  // namespace muster::gang
