#pragma once
// What follows a round: another one, or the conclusion.
//
// Round 1 tests everything. If anything in it failed or is missing, round 2 repeats that alone: no two groups of a step
// share a node, and up to three passing siblings a step run again as the measure. What is still slow then is confirmed;
// wrong data counts in whichever round it was seen. There is no third round.

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/ids.h"
#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

struct Conclusion {
  enum class Outcome {
    kPassed,        // release is allowed
    kAccused,       // `accused` are at fault
    kInconclusive,  // failed or missing, and nobody can be named
    kConfig,        // the job's or node's configuration, by the errors' own words: trying again changes nothing
    kInternal,      // Muster's own fault
  };
  Outcome outcome = Outcome::kInconclusive;
  v1::TestVerdict verdict = v1::INCONCLUSIVE;
  // One sentence with numbers.
  std::string summary;
  std::set<NodeUid> accused;
  std::vector<v1::Accusation> accusations;
  std::vector<v1::FamilyResult> families;
  // Every group, carried ones included, ordered by family, collective, size and index.
  std::vector<v1::GroupResult> groups;
};

// Errors that begin so are not the hardware's: see Conclusion::Outcome.
inline constexpr char kConfigError[] = "config: ";
inline constexpr char kInternalError[] = "internal: ";

// Call with the rounds so far, in order, at least one, each ended (all nodes final) or past its deadline.
// Equal inputs give equal outputs, whatever the order of the results.
std::variant<v1::TestPlan, Conclusion> NextRound(const Setting& setting, absl::Span<const Round> rounds);

}  // namespace muster::selftest
