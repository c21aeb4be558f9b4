#include "lib/gang/new_gang.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace muster::gang {

Gang NewGang(Submission submission, absl::Time now) {
  Gang gang;
  gang.uid = std::move(submission.uid);
  gang.ns = std::move(submission.ns);
  gang.name = std::move(submission.name);
  gang.request_id = std::move(submission.request_id);
  gang.spec = std::move(submission.spec);
  gang.owner = std::move(submission.owner);
  gang.submitted = gang.since = now;
  gang.sequence = submission.sequence;
  gang.mesh = std::move(submission.mesh);
  gang.waived = gang.spec->self_test().profile() == v1::SelfTestSpec::NONE;
  if (!gang.owner.kind().empty()) gang.facts.owner = Facts::OwnerState::kLiving;
  switch (gang.spec->placement().source()) {
    case v1::PlacementSpec::KUEUE:
      gang.state = Awaiting{};
      gang.why = "waits for Kueue to reserve quota and assign nodes";
      break;
    case v1::PlacementSpec::BOUND:
      gang.state = Awaiting{};
      gang.why = absl::StrCat("waits for all ", gang.spec->members(), " members to be bound to nodes");
      break;
    default:
      gang.state = Queued{};
      gang.why = absl::StrCat("waits in the queue for nodes for ", gang.spec->members(), " members");
  }
  return gang;
}

}  // namespace muster::gang
