#pragma once
// Names on the command line and on the screen.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/screen.h"
#include "proto/muster/v1/job.pb.h"
#include "proto/muster/v1/node.pb.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::cli {

// "llama", "team-a/llama" or a job's uid ("job-" and 16 or more hexadecimal digits). `ns` is --namespace, may be empty
// (then "default"). Usage error: two namespaces that differ, or no name.
absl::StatusOr<v1::JobRef> ParseJobName(const std::string& text, const std::string& ns);

// "team-a/llama".
std::string JobName(const v1::Job& job);
// "llama" in the default namespace, else "team-a/llama": what to type.
std::string TypedName(const std::string& ns, const std::string& name);

// Lower case, one word: "testing", "succeeded" for a finished job.
std::string StateWord(const v1::Job& job);
// Why it is there, without the state's own word in front: "wrong data" of "cancelled: wrong data".
std::string WhyText(const v1::Job& job);
Style StateStyle(const v1::Job& job);
std::string PhaseWord(v1::Phase phase);
// "pass", "FAIL": what must be seen is in capitals.
std::string VerdictWord(v1::TestVerdict verdict);
Style VerdictStyle(v1::TestVerdict verdict);
// "reduce_scatter".
std::string CollectiveWord(v1::Collective collective);
std::string UseWord(v1::NodeUse use);
std::string ConditionWord(v1::NodeCondition condition);
Style ConditionStyle(v1::NodeCondition condition);

// Adds a way out to an error that has none.
absl::Status WithWayOut(const absl::Status& status, const std::string& way_out);

}  // namespace muster::cli
