#pragma once
// What lib/gang answers, as a status on its way to the wire.

#include <string>

#include "absl/status/status.h"
#include "lib/base/errors.h"
#include "lib/gang/answer.h"

namespace muster::core {

// Of an answer that is neither READY nor NOT_READY. outcome.proto has the table.
inline absl::Status StatusOf(const gang::Answer& answer) {
  const absl::StatusCode code = answer.outcome == v1::UNKNOWN_JOB   ? absl::StatusCode::kNotFound
                                : answer.outcome == v1::BAD_REQUEST ? absl::StatusCode::kInvalidArgument
                                                                    : absl::StatusCode::kFailedPrecondition;
  absl::Status status(code, absl::string_view(answer.why));
  v1::OutcomeDetail detail;
  detail.set_outcome(answer.outcome);
  for (const std::string& node : answer.nodes) detail.add_nodes(node);
  SetDetail(status, detail);
  return status;
}

inline absl::Status Overloaded(absl::string_view what) {
  absl::Status status = absl::ResourceExhaustedError(what);
  v1::OutcomeDetail detail;
  detail.set_outcome(v1::OVERLOADED);
  detail.mutable_retry_after()->set_seconds(1);
  detail.set_way_out("call again after the delay");
  SetDetail(status, detail);
  return status;
}

inline absl::Status Stale(absl::string_view what, absl::string_view way_out) {
  return OutcomeError(absl::StatusCode::kFailedPrecondition, v1::STALE, what, way_out);
}

}  // namespace muster::core
