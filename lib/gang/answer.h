#pragma once
// What a caller of GetRank or WatchGang is told, as a function of the state.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/gang/incarnation.h"
#include "lib/gang/state.h"
#include "proto/muster/v1/outcome.pb.h"

namespace muster::gang {

struct Caller {
  PodIndex index;
  Incarnation incarnation;
  std::optional<int32_t> local_rank;
  std::string node;
};

struct Answer {
  // READY, OUTCOME_NOT_READY (hold the call), or a terminal one: SUPERSEDED, WRONG_NODE, CANCELLED, JOB_FINISHED,
  // OUTCOME_NEVER, BAD_REQUEST (an index or local rank that the job doesn't have; a process that Muster did not start,
  // where it starts them all). Of a finished job everybody hears how it ended.
  v1::Outcome outcome = v1::OUTCOME_NOT_READY;
  // With READY: points into Released.
  const std::string* assignment = nullptr;
  // One sentence for people.
  std::string why = {};
  // WRONG_NODE: at most three names.
  std::vector<std::string> nodes = {};
};

// For GetRank, after MemberCalled was stepped. O(log members), but for the text of a refusal or a wait.
Answer AnswerTo(const Gang& gang, const Caller& caller);

// For WatchGang of `epoch`. An epoch that this coordinator doesn't know yet is left alone (kContinue).
struct Watch {
  enum class Order { kContinue, kStopAndRejoin, kStopAndLeave } order = Order::kContinue;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::string why = {};
};
Watch WatchFor(const Gang& gang, const Caller& caller, Epoch epoch);

// Members of this gang that are not present (waiting for their ranks, or Running): a count and the first three indexes.
struct Missing {
  int32_t count = 0;
  std::vector<PodIndex> first;
};
Missing MissingMembers(const Gang& gang);

// Gang::why with the latest counts: one sentence that says what the job waits for, or why it ended. Never empty.
std::string WhyNow(const Gang& gang);

}  // namespace muster::gang
