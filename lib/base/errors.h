#pragma once
// Errors that people and programs can act on: a Status whose payload says which field was wrong and what to do.
// The services put the payload on the wire as it is (outcome.proto has the table of outcomes).

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "proto/muster/v1/outcome.pb.h"

namespace muster {

// INVALID_ARGUMENT, BAD_REQUEST. Reads "<field>: <problem>; <way out>". `field` is a path as in the job file
// ("spec.mesh.axes.dpp").
absl::Status FieldError(absl::string_view field, absl::string_view problem, absl::string_view way_out);

// Any code, outcome and way out; `message` is what people read.
absl::Status OutcomeError(absl::StatusCode code, v1::Outcome outcome, absl::string_view message,
                          absl::string_view way_out = "");

absl::optional<v1::OutcomeDetail> DetailOf(const absl::Status& status);
void SetDetail(absl::Status& status, const v1::OutcomeDetail& detail);

// At most `shown` names and a count of the rest: "a, b, c and 5 more".
std::string FewNames(const std::vector<std::string>& names, size_t shown = 3);

// The candidate with the least edit distance to `word`, if near enough to be what was meant; empty otherwise.
std::string NearestName(absl::string_view word, const std::vector<std::string>& candidates);

}  // namespace muster
