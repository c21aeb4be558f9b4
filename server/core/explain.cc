#include "server/core/explain.h"

#include "absl/strings/str_cat.h"
#include "lib/placement/explain.h"
#include "lib/placement/place.h"
#include "lib/queue/defragment.h"

namespace muster::core {

v1::Explanation Explain(const ToExplain& to) {
  if (to.request == nullptr) return to.explanation;
  v1::Explanation explanation =
      placement::Explain(*to.request, to.cluster, placement::Place(*to.request, to.cluster), &to.outlook);
  // It waits for nodes that may still register; what can never be would have failed.
  if (explanation.feasibility() == v1::NEVER) explanation.set_feasibility(v1::NOT_NOW);
  if (explanation.feasibility() == v1::OK && !to.waits_for.empty()) {
    // Nodes there are: its turn, its quota, a reservation or agents with its test's backend is what it waits for.
    explanation.Clear();
    explanation.set_feasibility(v1::NOT_NOW);
    explanation.set_summary(to.waits_for);
  } else if (to.cluster.topology != nullptr) {
    const placement::HopCosts costs = placement::HopCosts::Of(to.cluster.topology->tiers());
    if (const auto moves = queue::Defragment(*to.request, to.cluster, to.holders, costs, to.now))
      explanation.add_details(moves->text);
  }
  if (!to.waits_for.empty() && to.waits_for != explanation.summary())
    explanation.add_details(absl::StrCat("in the queue: ", to.waits_for));
  if (to.queue_position > 0) explanation.add_details(absl::StrCat("place in the queue: ", to.queue_position));
  return explanation;
}

}  // namespace muster::core
