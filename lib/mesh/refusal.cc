#include "lib/mesh/refusal.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"

namespace muster::mesh {
namespace {
constexpr char kRulePayload[] = "muster.v1/mesh-rule";
}  // namespace

absl::Status Refuse(absl::string_view rule, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kRulePayload, absl::Cord(rule));
  return status;
}

std::string RuleOf(const absl::Status& status) {
  const absl::optional<absl::Cord> rule = status.GetPayload(kRulePayload);
  return rule ? std::string(*rule) : std::string();
}

}  // namespace muster::mesh
