#include "server/core/explain.h"

#include "absl/strings/str_cat.h"
#include "lib/placement/explain.h"
#include "lib/placement/place.h"

namespace muster::core {

v1::Explanation Explain(const ToExplain& to) {
  if (to.request == nullptr) return to.explanation;
  v1::Explanation explanation = placement::Explain(*to.request, to.cluster, placement::Place(*to.request, to.cluster));
  // It waits for nodes that may still register; what can never be would have failed.
  if (explanation.feasibility() == v1::NEVER) explanation.set_feasibility(v1::NOT_NOW);
  if (!to.waits_for.empty() && to.waits_for != explanation.summary())
    explanation.add_details(absl::StrCat("in the queue: ", to.waits_for));
  if (to.queue_position > 0) explanation.add_details(absl::StrCat("place in the queue: ", to.queue_position));
  return explanation;
}

}  // namespace muster::core
