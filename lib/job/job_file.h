#pragma once
// Job files: YAML or JSON to a job, and back. The schema is JobSpec's, by its field names (camelCase or snake_case):
//
//   name: llama
//   namespace: team-a
//   spec:
//     members: 8
//     workersPerMember: 8
//     mesh: {dialect: megatron, order: tp-cp-ep-dp-pp, axes: {tp: 4, cp: 2, dp: 4, pp: 2}}
//     selfTest: {profile: quick, maxAge: 10m}
//
// Axes are a map in the document's order, or a list of {name, size}. Enums are lower case ("topology"), durations
// "90s", "10m", "1h30m". `kind: Job` and `apiVersion: muster/v1` may be there. Refused, with the line: unknown fields
// (with the nearest known name), duplicates, wrong types, anchors, aliases and tags, several documents, more than 1
// MiB, NUL.

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/muster/v1/job.pb.h"

namespace muster {

struct JobFile {
  std::string ns = "default";
  std::string name;
  v1::JobSpec spec;
  // Line of each field that the file has, by path: "spec.mesh.axes.tp" -> 9.
  std::map<std::string, int> lines;
  std::string file;  // its name, for messages
};

// Syntax and schema only. INVALID_ARGUMENT: "job.yaml:9: spec.mesh.axes.dpp: unknown axis; did you mean "dp"? …", with
// the field as typed detail (errors.h). `file` is what messages call it.
absl::StatusOr<JobFile> ParseJobFile(absl::string_view text, absl::string_view file);

// ParseJobFile, then ValidateJob (validate.h) with the line in front of its errors: what a client wants.
absl::StatusOr<JobFile> ReadJobFile(absl::string_view text, absl::string_view file);

// Puts file and line in front of an error about a field: "job.yaml:9: …". Other errors get the file's name only.
absl::Status WithLine(const absl::Status& status, const JobFile& file);

// The job as YAML that ParseJobFile reads back to the same spec. Unset fields are left out.
std::string ToYaml(absl::string_view ns, absl::string_view name, const v1::JobSpec& spec);

}  // namespace muster
