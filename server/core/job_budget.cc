#include "server/core/job_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/errors.h"

namespace muster::core {
namespace {

// Of a member: what is recorded of it; with an assignment of usual size.
constexpr int64_t kRecord = 512;
constexpr int64_t kMember = 1024;

std::string Size(int64_t bytes) {
  if (bytes < int64_t{1} << 20) return absl::StrCat((bytes + 1023) / 1024, " KiB");
  return absl::StrFormat("%.1f MiB", static_cast<double>(bytes) / (1 << 20));
}

absl::Status Full(const std::string& whose, int64_t used, int64_t limit, int64_t weight) {
  return OutcomeError(
      absl::StatusCode::kResourceExhausted, v1::OVERLOADED,
      absl::StrCat("unfinished jobs ", whose, " may take ", Size(used), "; with this one's ", Size(weight),
                   " they would pass the limit of ", Size(limit)),
      "cancel jobs that are no longer needed, submit it when others have finished, or have the operator raise "
      "--max-job-bytes");
}

}  // namespace

int64_t WeightOf(const v1::JobSpec& spec) {
  const auto bytes = static_cast<int64_t>(spec.ByteSizeLong());
  // Nothing overflows: a request, and with it a permutation, has at most 2^31 bytes, and there are 10^6 members.
  const auto permutation = static_cast<int64_t>(spec.mesh().permutation_size()) * 3;
  return bytes + int64_t{std::max(spec.members(), 0)} * (kMember + permutation);
}

int64_t FinishedWeightOf(const v1::JobSpec& spec) {
  return static_cast<int64_t>(spec.ByteSizeLong()) + int64_t{std::max(spec.members(), 0)} * kRecord;
}

absl::Status JobBudget::Room(const std::string& ns, int64_t weight) const {
  if (used_ + weight > limit_) return Full("of all namespaces", used_, limit_, weight);
  const auto found = by_namespace_.find(ns);
  const int64_t used = found == by_namespace_.end() ? 0 : found->second;
  if (used + weight > limit_ / 2) return Full(absl::StrCat("of namespace ", ns), used, limit_ / 2, weight);
  return absl::OkStatus();
}

void JobBudget::Take(const std::string& ns, int64_t weight) {
  used_ += weight;
  by_namespace_[ns] += weight;
}

void JobBudget::Return(const std::string& ns, int64_t weight) {
  used_ -= weight;
  const auto found = by_namespace_.find(ns);
  if (found == by_namespace_.end()) return;
  found->second -= weight;
  if (found->second <= 0) by_namespace_.erase(found);
}

}  // namespace muster::core
