#pragma once
// What follows a round: another one, or the conclusion.
//
// Round 1 tests everything (plan.h). Round 2 repeats alone what failed or is missing in it, and has every node of a bad
// pair meet three that are good with others. Further rounds go on where something is still open: other matchings where
// no node is cleared or all pairs are good, links again, a node's accelerators two by two, an accused node's rails one
// at a time. What ran decides, not what was meant to run: all is worked out anew from the rounds so far.

#include <variant>

#include "absl/types/span.h"
#include "lib/selftest/conclusion.h"
#include "lib/selftest/setting.h"
#include "lib/selftest/verdict.h"
#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Rounds of one test, the first included.
inline constexpr size_t kMaxTestRounds = 6;

// Call with the rounds so far, in order, at least one, each ended (all nodes final) or past its deadline. At most
// kMaxTestRounds come.
// Equal inputs give equal outputs, whatever the order of the results.
std::variant<v1::TestPlan, Conclusion> NextRound(const Setting& setting, absl::Span<const Round> rounds);

}  // namespace muster::selftest
